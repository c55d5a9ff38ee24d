import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeEventKey } from '../../src/event-sourcing/event-key.js';
import { findMacRequired, requireMac } from '../../src/event-sourcing/whole-log/mac-required.js';
import { SEAL_STREAM } from '../../src/event-sourcing/whole-log/seal-stream.js';
import { verifyLog } from '../../src/event-sourcing/whole-log/verify-log.js';
import { findRestarts, nextOrigin, originAfter, recordRestart } from '../../src/sealing/restart.js';
import { wholeLog } from '../support/chained-events.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';

const BASE = 'example.com/log';
const [ours, another] = ['ours', 'another'].map((name) => makeEventKey(`${name} is a key of more than 32 bytes`));
const by = { actor: 'olga', at: new Date('2026-01-01T00:00:00.000Z') };
const second = { origin: `${BASE}/2`, replaced: BASE, reason: 'restored the backup of Monday' };
const third = { origin: `${BASE}/3`, replaced: `${BASE}/2`, reason: 'again' };

describe('a restart of the seal', () => {
  it('is found in the log, the newest last, beside what else is recorded there', async () => {
    const store = makeInMemoryEventStore();
    expect([await findRestarts(store, []), originAfter(BASE, [])]).to.deep.equal([[], BASE]);
    expect(E.isRight(await recordRestart(store, second, by, ours))).to.equal(true);
    expect(E.isRight(await requireMac(store, by, ours!))).to.equal(true);
    expect(E.isRight(await recordRestart(store, third, by, ours))).to.equal(true);
    const restarts = await findRestarts(store, [ours!]);
    expect(restarts).to.deep.equal([second, third]);
    expect(originAfter(BASE, restarts)).to.equal(third.origin);
    expect((await findMacRequired(store))?.revision).to.equal(1n);
  });

  it('continues the chain of its stream, with a mac', async () => {
    const store = makeInMemoryEventStore();
    for (const restart of [second, third]) await recordRestart(store, restart, by, ours);
    const faults: Array<unknown> = [];
    const verified = await verifyLog(store, {
      keys: [ours!],
      onBroken: (fault) => faults.push(fault),
      onMacFault: (fault) => faults.push(fault),
      onPage: () => undefined,
      signal: new AbortController().signal,
    });
    expect([faults, verified.events, verified.withMac]).to.deep.equal([[], 2, 2]);
  });

  it('does not count when none of the keys has sealed it, unless there are no keys', async () => {
    const store = makeInMemoryEventStore();
    await recordRestart(store, second, by, another);
    await recordRestart(store, third, by, undefined);
    expect(await findRestarts(store, [ours!])).to.deep.equal([]);
    expect(await findRestarts(store, [ours!, another!])).to.deep.equal([second]);
    expect(await findRestarts(store, [])).to.deep.equal([second, third]);
  });

  it('is passed over when its data is not that of a restart', async () => {
    const store = makeInMemoryEventStore();
    await recordRestart(store, second, by, ours);
    const [event] = await wholeLog(store);
    const { type, metadata } = event!;
    await store.append(SEAL_STREAM, 0n, [{ id: '1', type, data: '{"origin":1}', metadata }]);
    await store.append(SEAL_STREAM, 1n, [{ id: '2', type, data: 'no JSON', metadata }]);
    expect(await findRestarts(store, [])).to.deep.equal([second]);
  });

  it('gets a name under which nothing was signed', async () => {
    const taken = new Set([`${BASE}/3`, `${BASE}/4`]);
    const isTaken = (origin: string) => Promise.resolve(taken.has(origin));
    expect(await nextOrigin(BASE, [], isTaken)).to.equal(`${BASE}/2`);
    expect(await nextOrigin(BASE, [second], isTaken)).to.equal(`${BASE}/5`);
    expect(await nextOrigin(BASE, [{ ...second, origin: `${BASE}/5` }], isTaken)).to.equal(`${BASE}/6`);
  });
});
