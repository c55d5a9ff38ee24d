import { expect } from 'chai';
import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { parseCosigner } from '../../src/seal/cosignature.js';
import { askWitness, type PostText } from '../../src/sealing/ask-witness.js';
import { type CosigningEvent, keepCosigning, QUORUM_TIMEOUT_MS } from '../../src/sealing/keep-cosigning.js';
import { parseWitnessPolicy } from '../../src/sealing/witness-policy.js';
import { checkpointOf } from '../support/checkpoints.js';
import { makeManualClock } from '../support/manual-clock.js';
import { right } from '../support/sealed-tree.js';
import { cosignatureLine, witnessKey } from '../support/small-witness.js';

const ORIGIN = 'log.example';
const TIME = 1_790_000_000;
/** How often they are asked at most. */
const ASK_MS = 2_000;

type Answer = Awaited<ReturnType<PostText>>;

const keys = [1, 2, 3].map((n) => witnessKey(`w.example/${n}`, n));
const urls = keys.map((_, at) => `https://w${at + 1}.example`);

const noteIn = (body: string): string => body.slice(body.indexOf('\n\n') + 2);

/** What the witness at this place answers when it has nothing against a checkpoint. */
const cosigned = (at: number, body: string): Answer => ({
  status: 200,
  contentType: null,
  body: cosignatureLine(keys[at]!, noteIn(body), TIME),
});

const refused: Answer = { status: 404, contentType: null, body: '' };

describe('asking a witness', () => {
  const checkpoint = checkpointOf(ORIGIN, 10);

  /** What it says in turn, by what it answers, and the sizes that it was asked from. */
  const ask = async (answers: ReadonlyArray<(body: string) => Answer>, known = 3) => {
    const olds: Array<number> = [];
    const post: PostText = (url, body) => {
      expect(url).to.equal('https://w1.example/add-checkpoint');
      olds.push(Number(/^old (\d+)\n/.exec(body)?.[1]));
      return Promise.resolve(answers[Math.min(olds.length, answers.length) - 1]!(body));
    };
    const asked = { cosigner: right(parseCosigner(keys[0]!.vkey)), url: urls[0]! };
    const said = await askWitness(post, asked, checkpoint, () => Promise.resolve([]), known);
    return { olds, said: E.isLeft(said) ? said.left : said.right.line };
  };

  const size = (over: Partial<Answer> = {}): Answer => ({
    status: 409,
    contentType: 'text/x.tlog.size',
    body: '2\n',
    ...over,
  });
  const own = cosignatureLine(keys[0]!, checkpoint.note, TIME);

  it('goes on from the size that it says, whatever else the type of its answer says', async () => {
    for (const contentType of ['text/x.tlog.size', 'text/x.tlog.size; charset=utf-8', 'text/x.tlog.size ; a=b'])
      expect(await ask([() => size({ contentType }), (body) => cosigned(0, body)])).to.deep.equal({
        olds: [3, 2],
        said: own,
      });
  });

  const unsaid: ReadonlyArray<readonly [Partial<Answer>, string]> = [
    [{ contentType: null }, 'it has seen another tree of this size'],
    [{ contentType: '' }, 'it has seen another tree of this size'],
    [{ contentType: 'text/plain' }, 'it has seen another tree of this size'],
    [{ body: '2' }, 'it has seen another tree of this size'],
    [{ body: '3\n' }, 'it has seen another tree of this size'],
    [{ status: 422 }, 'it says that the log does not extend what it saw before'],
    [{ status: 500 }, 'it answers with the status 500'],
  ];

  for (const [over, expected] of unsaid)
    it(`is over with an answer that says no other size: ${JSON.stringify(over)}`, async () => {
      expect(await ask([() => size(over)])).to.deep.equal({ olds: [3], said: expected });
    });

  it('is over when it has said two sizes', async () => {
    expect(await ask([() => size(), () => size({ body: '1\n' })])).to.deep.equal({
      olds: [3, 2],
      said: 'it says another size each time',
    });
  });

  it('takes the line of its key, and none of another name or another key', async () => {
    const sameName = cosignatureLine(witnessKey('w.example/1', 9), checkpoint.note, TIME);
    const sameId = cosignatureLine(keys[0]!, checkpointOf(ORIGIN, 9).note, TIME).replace('w.example/1', 'w.example/9');
    for (const lines of [`${sameName}${own}`, `${sameId}${own}`])
      expect(await ask([() => ({ status: 200, contentType: null, body: lines })])).to.deep.equal({
        olds: [3],
        said: own,
      });
  });
});

describe('asking witnesses again and again', () => {
  const running: Array<() => Promise<void>> = [];
  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });

  const start = (quorum: ReadonlyArray<string> = ['group g 2 w1 w2 w3', 'quorum g']) => {
    const clock = makeManualClock();
    const recorded: Array<SignedCheckpoint> = [];
    const events: Array<CosigningEvent> = [];
    /** Who was asked, and from which size. */
    const asked: Array<readonly [number, number]> = [];
    const lookups: Array<string> = [];
    /** How the witness at a place answers. */
    const answers = new Map<number, (body: string) => Answer | Promise<Answer>>();
    const state = { isAway: false };
    const addresses = keys.map(({ vkey }, at) => `witness w${at + 1} ${vkey} ${urls[at]}`);
    const cosigning = keepCosigning({
      clock,
      policy: right(parseWitnessPolicy([...addresses, ...quorum].join('\n'))),
      post: async (url, body) => {
        const at = urls.findIndex((known) => url.startsWith(known));
        asked.push([at + 1, Number(/^old (\d+)\n/.exec(body)?.[1])]);
        return (answers.get(at) ?? ((text) => cosigned(at, text)))(body);
      },
      proveIn: () => () => Promise.resolve([]),
      largestOf: (origin) => {
        lookups.push(origin);
        return Promise.resolve(recorded.findLast((one) => one.origin === origin));
      },
      record: (checkpoint) => {
        if (state.isAway) return Promise.reject(new Error('away'));
        recorded.push(checkpoint);
        return Promise.resolve();
      },
      onEvent: (event) => events.push(event),
    });
    running.push(cosigning.stop);
    const tags = () => events.map(({ _tag }) => _tag);
    return { ...cosigning, clock, recorded, events, tags, asked, lookups, answers, state };
  };

  it('says nothing while nothing is signed, and asks nobody', async () => {
    const { clock, events, asked, isLate } = start();
    await clock.advance(120_000);
    expect([events, asked, isLate()]).to.deep.equal([[], [], false]);
  });

  it('begins at what each has cosigned, and looks for what was recorded once', async () => {
    const { clock, offer, tags, asked, lookups } = start();
    for (const size of [3, 5]) {
      offer(checkpointOf(ORIGIN, size));
      await clock.advance(ASK_MS);
    }
    expect(asked).to.deep.equal([
      ...[1, 2, 3].map((witness) => [witness, 0]),
      ...[1, 2, 3].map((witness) => [witness, 3]),
    ]);
    expect([tags(), lookups]).to.deep.equal([['Cosigned', 'Cosigned'], [ORIGIN]]);
  });

  it('leaves out a witness that has no address', async () => {
    const { clock, offer, asked, events } = start([`witness w4 ${witnessKey('w.example/4', 4).vkey}`, 'quorum w4']);
    offer(checkpointOf(ORIGIN, 3));
    await clock.advance(ASK_MS);
    expect(asked.map(([witness]) => witness)).to.deep.equal([1, 2, 3]);
    expect(events).to.deep.equal([{ _tag: 'NoQuorum', checkpoint: checkpointOf(ORIGIN, 3), refusals: [] }]);
  });

  it('says again who refuses when it is another one, and once that there is a quorum', async () => {
    const { clock, offer, events, tags, answers } = start(['group g all w1 w2 w3', 'quorum g']);
    const unreachable = () => Promise.reject(new Error('nobody is there'));
    offer(checkpointOf(ORIGIN, 3));
    answers.set(0, () => refused).set(1, unreachable);
    await clock.advance(ASK_MS);
    await clock.advance(2 * ASK_MS);
    answers.delete(0);
    await clock.advance(4 * ASK_MS);
    const away = { witness: 'w2', reason: 'nobody is there' };
    expect(events.map((event) => 'refusals' in event && event.refusals)).to.deep.equal([
      [{ witness: 'w1', reason: 'it does not know this log' }, away],
      [away],
    ]);
    answers.clear();
    await clock.advance(8 * ASK_MS);
    offer(checkpointOf(ORIGIN, 4));
    await clock.advance(ASK_MS);
    expect(tags().slice(2)).to.deep.equal(['QuorumAgain', 'Cosigned', 'Cosigned']);
  });

  it('says that what was cosigned could not be recorded, and tries again', async () => {
    const { clock, offer, events, tags, state, recorded, isLate } = start();
    state.isAway = true;
    offer(checkpointOf(ORIGIN, 3));
    await clock.advance(ASK_MS);
    expect(events.map((event) => 'cause' in event && String(event.cause))).to.deep.equal(['Error: away']);
    state.isAway = false;
    await clock.advance(2 * ASK_MS - 1);
    expect(recorded).to.deep.equal([]);
    await clock.advance(1);
    expect([tags(), recorded.map(({ size }) => size)]).to.deep.equal([['NotRecorded', 'Cosigned'], [3]]);
    await clock.advance(QUORUM_TIMEOUT_MS);
    expect(isLate()).to.equal(false);
  });

  it('is not late with what had its quorum before, and with other ones from when they were signed', async () => {
    const { clock, offer, recorded, isLate, answers } = start();
    await clock.advance(100_000);
    recorded.push(checkpointOf(ORIGIN, 3));
    offer(checkpointOf(ORIGIN, 3));
    expect(isLate()).to.equal(false);
    await clock.advance(QUORUM_TIMEOUT_MS);
    expect(isLate()).to.equal(false);
    for (const at of [0, 1, 2]) answers.set(at, () => refused);
    offer(checkpointOf(ORIGIN, 5));
    await clock.advance(QUORUM_TIMEOUT_MS - 1);
    expect(isLate()).to.equal(false);
    await clock.advance(1);
    expect(isLate()).to.equal(true);
  });

  it('is late with what was signed while it asked, counted from the end of that', async () => {
    const { clock, offer, isLate, answers, tags } = start();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    answers.set(0, async (body) => {
      await held;
      return cosigned(0, body);
    });
    offer(checkpointOf(ORIGIN, 3));
    await clock.advance(30_000);
    offer(checkpointOf(ORIGIN, 5));
    for (const at of [1, 2]) answers.set(at, () => refused);
    answer();
    await clock.advance(0);
    expect(tags()).to.deep.equal(['Cosigned']);
    await clock.advance(QUORUM_TIMEOUT_MS - 1);
    expect(isLate()).to.equal(false);
    await clock.advance(1);
    expect(isLate()).to.equal(true);
  });

  it('hands out nothing that was cosigned under another origin', async () => {
    const { clock, offer, recorded, toArchive } = start();
    expect(toArchive(checkpointOf(ORIGIN, 3))).to.equal(undefined);
    offer(checkpointOf(ORIGIN, 3));
    await clock.advance(ASK_MS);
    expect(toArchive(checkpointOf(ORIGIN, 4))).to.deep.equal(recorded[0]);
    expect(toArchive(checkpointOf(`${ORIGIN}/2`, 4))).to.equal(undefined);
  });

  it('records and says nothing that it is answered after it was told to stop, and waits for nothing then', async () => {
    const { clock, offer, events, recorded, answers, stop } = start();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    answers.set(0, async (body) => {
      await held;
      return cosigned(0, body);
    });
    offer(checkpointOf(ORIGIN, 3));
    await clock.advance(ASK_MS);
    const stopped = stop();
    answer();
    await stopped;
    expect([events, recorded, clock.waiting()]).to.deep.equal([[], [], 0]);
  });
});
