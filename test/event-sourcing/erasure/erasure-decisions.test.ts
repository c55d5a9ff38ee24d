import { expect } from 'chai';
import { either as E } from 'fp-ts';
import {
  begunErasuresFrom,
  readErasureDecisions,
  recordErasureDecision,
} from '../../../src/event-sourcing/erasure/erasure-decisions.js';
import type { EventKeys } from '../../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { ERASURE_STREAM } from '../../../src/event-sourcing/operators/decision-events.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { wholeLog } from '../../support/chained-events.js';
import { oneKey, otherKey } from '../../support/event-keys.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';

const [A, B] = [
  { entityType: 'Business', entity: 'a' },
  { entityType: 'Document', entity: 'b' },
];

type Decided = Parameters<typeof recordErasureDecision>[2]['event'];

describe('the decisions about erasures', () => {
  let store: EventStore;

  beforeEach(() => {
    store = makeInMemoryEventStore();
  });

  const record = async (event: Decided, keys: EventKeys = [oneKey], isRecorded = () => false) =>
    recordErasureDecision(systemRuntime, store, { event, actor: 'olga' }, isRecorded, keys);

  const heldNow = async () => {
    const { held } = await readErasureDecisions(store, [oneKey]);
    return held.map(({ entityType, entity, reason, actor }) => `${entityType} ${entity}: ${reason}, ${actor}`);
  };

  it('tell which records are held: those that were not released since', async () => {
    expect(await heldNow()).to.deep.equal([]);
    expect(await record({ type: 'RecordHeld', data: { ...A, reason: 'a claim' } })).to.deep.equal(E.right(true));
    await record({ type: 'RecordHeld', data: { ...B, reason: 'an audit' } });
    await record({ type: 'RecordHeld', data: { ...A, reason: 'once more' } });
    expect(await heldNow()).to.deep.equal(['Business a: a claim, olga', 'Document b: an audit, olga']);
    await record({ type: 'RecordReleased', data: { ...A, reason: 'settled' } });
    expect(await heldNow()).to.deep.equal(['Document b: an audit, olga']);
    await record({ type: 'RecordHeld', data: { ...A, reason: 'another claim' } });
    expect(await heldNow()).to.deep.equal(['Document b: an audit, olga', 'Business a: another claim, olga']);
  });

  it('tell which erasures were begun', async () => {
    const data = { records: [{ stream: 'business-a', events: 'all' as const }], basis: 'Art. 17(1)(a)' };
    await record({ type: 'RecordHeld', data: { ...B, reason: 'an audit' } });
    await record({ type: 'ErasureBegun', data });
    const { begun } = await readErasureDecisions(store, [oneKey]);
    expect(begun.map(({ event, revision }) => [event.data, revision])).to.deep.equal([[data, 1n]]);
    const behind: Array<bigint> = [];
    for await (const { revision } of begunErasuresFrom(store, [oneKey], 1n)) behind.push(revision);
    for await (const { revision } of begunErasuresFrom(store, [oneKey], 2n)) behind.push(revision);
    expect(behind).to.deep.equal([1n]);
  });

  it('count where somebody with a key has recorded them, as they were', async () => {
    await record({ type: 'RecordHeld', data: { ...A, reason: 'a claim' } }, [otherKey]);
    await record({ type: 'RecordHeld', data: { ...A, reason: 'a claim' } }, []);
    expect(await heldNow()).to.deep.equal([]);
    await record({ type: 'RecordHeld', data: { ...B, reason: 'an audit' } });
    const [, , last] = await wholeLog(store);
    const changed: EventStore = {
      ...store,
      async *readStream(...args) {
        for await (const page of store.readStream(...args)) {
          const events = [...page].map((event) => ({ ...event, data: event.data.replace('an audit', 'anaudit') }));
          yield { [Symbol.iterator]: () => events[Symbol.iterator]() } as never; // reason: nothing else is asked of it
        }
      },
    };
    expect(last?.stream).to.equal(ERASURE_STREAM);
    expect((await readErasureDecisions(store, [oneKey])).held).to.have.length(1);
    expect((await readErasureDecisions(changed, [oneKey])).held).to.deep.equal([]);
  });

  it('are recorded with those in sight that others record at the same moment', async () => {
    const hold = (reason: string) =>
      recordErasureDecision(
        systemRuntime,
        store,
        { event: { type: 'RecordHeld', data: { ...A, reason } }, actor: 'olga' },
        ({ held }) => held.length > 0,
        [oneKey],
      );
    const outcomes = await Promise.all(['one', 'two', 'three'].map(hold));
    expect(outcomes.filter((outcome) => E.isRight(outcome) && outcome.right)).to.have.length(1);
    expect(await wholeLog(store)).to.have.length(1);
  });

  it('are read past a page', async () => {
    for (let each = 0; each < 501; each += 1)
      await record({ type: each % 2 === 0 ? 'RecordHeld' : 'RecordReleased', data: { ...A, reason: `${each}` } });
    expect(await heldNow()).to.deep.equal(['Business a: 500, olga']);
  });
});
