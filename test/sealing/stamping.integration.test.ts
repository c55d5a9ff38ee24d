import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makePost } from '../../src/infrastructure/witnesses/post-text.js';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { der, elementsIn } from '../../src/seal/der.js';
import { keepStamping, type StampingEvent } from '../../src/sealing/keep-stamping.js';
import { timeInAnswer, timestampRequest } from '../../src/sealing/timestamp.js';
import { checkpointOf } from '../support/checkpoints.js';
import { makeLookout } from '../support/lookout.js';
import { tsaOfSuite } from '../support/small-tsa.js';
import { makeManualClock } from '../support/manual-clock.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const NONCE = Buffer.from('8899aabbccddeeff', 'hex');
const DATA = 'log.example\n3\n…\n';

describe('timestamps of checkpoints', function () {
  this.timeout(60_000);
  const tsa = tsaOfSuite();

  beforeEach(() => {
    tsa().instead = undefined;
    tsa().status = 200;
  });

  const faultOf = (answer: Buffer, data = DATA, nonce = NONCE): string => {
    const time = timeInAnswer(answer, data, nonce);
    return E.isLeft(time) ? time.left : 'none';
  };

  it('are what openssl verifies, of this checkpoint and no other', () => {
    const answer = tsa().reply(timestampRequest(DATA, NONCE));
    const time = timeInAnswer(answer, DATA, NONCE);
    expect(E.isRight(time) && time.right).to.match(/^20\d{12}Z$/);
    // of the same data, for who no longer knows which request it was
    expect(timeInAnswer(answer, DATA)).to.deep.equal(time);
    expect(timeInAnswer(answer, `${DATA} `)).to.deep.equal(E.left('the timestamp is of something else'));
    expect([tsa().verify(DATA, answer), tsa().verify(`${DATA} `, answer)]).to.deep.equal([0, 1]);
  });

  it('are not taken where they are of something else, or refused, or none', () => {
    const answer = tsa().reply(timestampRequest(DATA, NONCE));
    expect(faultOf(answer, `${DATA} `)).to.equal('the timestamp is of something else');
    const other = Buffer.from('0102030405060708', 'hex');
    expect(faultOf(answer, DATA, other)).to.equal('the timestamp is of another request');
    const refused = der(0x30, der(0x30, der(2, Buffer.of(2))));
    expect(faultOf(refused)).to.equal('no timestamp was granted: the status is 2');
    expect(faultOf(der(0x30, der(0x30, der(2, Buffer.of(0)))))).to.equal('the answer has no timestamp');
    for (const bytes of ['', '3c68746d6c3e', '30', '3080', '30'.repeat(500)])
      expect(faultOf(Buffer.from(bytes, 'hex')), bytes).to.match(/^the answer is none to a request/);
  });

  it('are not taken from what is signed data of another kind, or nothing signed', () => {
    const answer = tsa().reply(timestampRequest(DATA, NONCE));
    for (const kind of ['2a864886f70d010702', '2a864886f70d0109100104']) {
      const changed = Buffer.from(answer);
      const at = answer.indexOf(Buffer.from(kind, 'hex'));
      changed[at + kind.length / 2 - 1] = 9;
      expect(faultOf(changed)).to.equal('the answer has no timestamp');
    }
    expect(faultOf(der(0x30, der(0x30, der(2, Buffer.of(0, 0)))))).to.equal(
      'no timestamp was granted: the status is -1',
    );
    expect(faultOf(der(0x30, der(0x30, der(2, Buffer.of()))))).to.equal('no timestamp was granted: the status is -1');
  });

  it('are read without a failure wherever an answer is cut or changed, and never with another imprint', () => {
    const request = timestampRequest(DATA, NONCE);
    const answer = tsa().reply(request);
    for (let end = 0; end < answer.length; end += 1) expect(faultOf(answer.subarray(0, end))).not.to.equal('none');
    const digest = request.subarray(request.indexOf(Buffer.from('0420', 'hex')) + 2).subarray(0, 32);
    const imprint = answer.indexOf(digest);
    expect(imprint).to.be.greaterThan(0);
    for (let at = 0; at < answer.length; at += 1) {
      const changed = Buffer.from(answer);
      changed[at] = (changed[at] ?? 0) ^ 0x11;
      const fault = faultOf(changed);
      if (at >= imprint && at < imprint + 32) expect(fault).to.equal('the timestamp is of something else');
    }
  });

  it('are asked for in DER of lengths of every form', () => {
    for (const length of [0, 127, 128, 255, 256, 65_535, 65_536]) {
      const content = Buffer.alloc(length, 7);
      expect(elementsIn(der(4, content))).to.deep.equal([{ tag: 4, content }]);
    }
  });

  const start = () => {
    const { note, until } = makeLookout();
    const kept: Array<readonly [SignedCheckpoint, Buffer]> = [];
    const events: Array<StampingEvent> = [];
    const post = makePost(
      { clock: systemRuntime.clock, fetch, signal: new AbortController().signal },
      'application/timestamp-query',
    );
    const clock = makeManualClock();
    const stamping = keepStamping({
      runtime: { ...systemRuntime, clock },
      post: async (request) => {
        const { status, body } = await post(tsa().url, Buffer.from(request));
        if (status !== 200) throw new Error(`status ${status}`);
        return body;
      },
      keep: (checkpoint, answer) => Promise.resolve(void kept.push([checkpoint, answer])),
      onEvent: (event) => {
        events.push(event);
        note();
      },
    });
    const said = (count: number) => until(() => events.length >= count);
    return { ...stamping, clock, kept, events, said };
  };

  it('are kept of one checkpoint an hour', async () => {
    const { offer, clock, kept, said, stop } = start();
    offer(checkpointOf('log.example', 3));
    offer(checkpointOf('log.example', 4));
    await said(1);
    await clock.advance(3_599_999);
    offer(checkpointOf('log.example', 5));
    await clock.advance(1);
    offer(checkpointOf('log.example', 6));
    await stop();
    expect(kept.map(([{ size }]) => size)).to.deep.equal([3, 6]);
    const [[checkpoint, answer] = []] = kept;
    expect(tsa().verify(checkpoint?.note ?? '', answer ?? Buffer.alloc(0))).to.equal(0);
  });

  it('are asked for again with the next checkpoint where the authority fails, which is said', async () => {
    const { offer, kept, events, said } = start();
    tsa().status = 500;
    offer(checkpointOf('log.example', 3));
    await said(1);
    tsa().status = 200;
    tsa().instead = Buffer.from('nothing');
    offer(checkpointOf('log.example', 4));
    await said(2);
    tsa().instead = undefined;
    offer(checkpointOf('log.example', 5));
    await said(3);
    expect(events.map(({ _tag }) => _tag)).to.deep.equal(['NotStamped', 'NotStamped', 'Stamped']);
    expect(kept.map(([{ size }]) => size)).to.deep.equal([5]);
  });

  it('are neither asked for nor missed after the stop', async () => {
    const { note, until } = makeLookout();
    const events: Array<StampingEvent> = [];
    let [asked, fail]: [number, () => void] = [0, () => undefined];
    const { offer, stop } = keepStamping({
      runtime: { ...systemRuntime, clock: makeManualClock() },
      post: () =>
        new Promise((_, reject) => {
          asked += 1;
          fail = () => reject(new Error('away'));
          note();
        }),
      keep: () => Promise.resolve(),
      onEvent: (event) => events.push(event),
    });
    offer(checkpointOf('log.example', 3));
    await until(() => asked === 1);
    const stopped = stop();
    fail();
    await stopped;
    offer(checkpointOf('log.example', 4));
    expect([asked, events]).to.deep.equal([1, []]);
  });
});
