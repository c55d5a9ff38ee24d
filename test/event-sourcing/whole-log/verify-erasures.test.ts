import { expect } from 'chai';
import { canonicalJson, type Json, type JsonObject } from '../../../src/event-sourcing/canonical-json.js';
import { recordErasureDecision } from '../../../src/event-sourcing/erasure/erasure-decisions.js';
import type { ErasedEvents } from '../../../src/event-sourcing/erasure/erased-events.js';
import type { EventKeys } from '../../../src/event-sourcing/event-key.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { requireMac } from '../../../src/event-sourcing/operators/require-mac.js';
import { isSealedDecision } from '../../../src/event-sourcing/operators/sealed-decision.js';
import type { StoredEvent, StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { lookUpChainEnds } from '../../../src/event-sourcing/whole-log/chain-ends.js';
import { gatherAppends } from '../../../src/event-sourcing/whole-log/gather-appends.js';
import type { LogFault } from '../../../src/event-sourcing/whole-log/log-fault.js';
import { verifyLog, verifyStream } from '../../../src/event-sourcing/whole-log/verify-log.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { businessStream, type Chains, interleaved, makeChains, wholeLog } from '../../support/chained-events.js';
import { oneKey, otherKey } from '../../support/event-keys.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { right } from '../../support/sealed-tree.js';

const [A, B] = [businessStream(0), businessStream(1)] as const;
const BASIS = 'Art. 17(1)(a), ticket 4711';

const isSealed = (event: StoredEvent): boolean => event.stream.startsWith('business-') || isSealedDecision(event);

/** What readers see of an event whose key was destroyed. */
const destroyed = (event: StoredEvent): StoredEvent => {
  const { salt: _salt, ...metadata } = JSON.parse(event.metadata) as JsonObject; // reason: written by seal
  return { ...event, data: '{}', metadata: canonicalJson(metadata) };
};

/** Two streams of four events each, alternately: revision r of A is at index 2r, that of B behind it. */
const EVENTS = interleaved(2, 4);

describe('verifying a log of which data was erased', () => {
  let store: EventStore;
  let chains: Chains;

  const append = async (stream: StreamName, data?: Json, type?: string, by = chains): Promise<void> => {
    const { event, revision } = by(stream, data, type);
    right(await store.append(stream, revision === 0n ? 'no-stream' : revision - 1n, [event]));
  };

  const erased = (stream: StreamName, events: ErasedEvents): Promise<void> =>
    append(stream, { events: events as Json, basis: BASIS }, 'BusinessErased'); // reason: it is JSON

  const begun = async (records: ReadonlyArray<{ stream: StreamName; events: ErasedEvents }>, keys = [oneKey]) => {
    const event = { type: 'ErasureBegun' as const, data: { records, basis: BASIS } };
    right(
      await recordErasureDecision(
        { ...systemRuntime, clock: { ...systemRuntime.clock, date: () => new Date('2026-05-06T07:23:00.000Z') } },
        store,
        { event, actor: 'bob' },
        () => false,
        keys,
      ),
    );
  };

  /** The same log, without the data of these events: `stream revision`. */
  const without = async (...gone: ReadonlyArray<`${StreamName} ${number}`>): Promise<EventStore> => {
    const other = makeInMemoryEventStore();
    const events = (await wholeLog(store)).map((event) =>
      gone.some((each) => each === `${event.stream} ${event.revision}`) ? destroyed(event) : event,
    );
    right(await other.appendInOrder(gatherAppends(events)));
    return other;
  };

  type Find = {
    readonly keys?: EventKeys;
    readonly stream?: StreamName;
    readonly isUnderWay?: (began: Date) => boolean;
  };

  const find = async (log: EventStore, { keys = [oneKey], stream, ...rest }: Find = {}) => {
    const faults: Array<string> = [];
    const verifying = {
      keys,
      chainEnds: lookUpChainEnds(log),
      onFault: ({ kind, stream: of, revision, index }: LogFault) =>
        faults.push(
          `${kind} ${of === A ? 'A' : of === B ? 'B' : of} ${revision}${index === undefined ? '' : ` at ${index}`}`,
        ),
      isSealed,
      onPage: () => undefined,
      signal: new AbortController().signal,
      ...rest,
    };
    const verified = await (stream === undefined ? verifyLog(log, verifying) : verifyStream(log, stream, verifying));
    const { withoutData, erased: ofThem, erasures } = verified;
    return { faults, withoutData, erased: ofThem, erasures };
  };

  const fill = async (): Promise<void> => {
    for (const stream of EVENTS) await append(stream);
  };

  beforeEach(async () => {
    store = makeInMemoryEventStore();
    chains = makeChains(oneKey);
    await fill();
  });

  it('names data that is gone without an erasure', async () => {
    expect(await find(await without(`${A} 1`))).to.deep.equal({
      faults: ['data-missing A 1 at 2'],
      ...{ withoutData: 1, erased: 0, erasures: 0 },
    });
  });

  it('excuses what an erasure in its stream names, and nothing else', async () => {
    await erased(A, [
      [1, 1],
      [3, 3],
    ]);
    await append(A);
    expect(await find(await without(`${A} 1`, `${A} 3`))).to.deep.equal({
      faults: [],
      ...{ withoutData: 2, erased: 2, erasures: 1 },
    });
    expect(await find(await without(`${A} 1`, `${A} 2`, `${A} 3`, `${A} 5`, `${B} 1`))).to.deep.equal({
      faults: ['data-missing B 1 at 3', 'data-missing A 2 at 4', 'data-missing A 5 at 9'],
      ...{ withoutData: 5, erased: 2, erasures: 1 },
    });
  });

  it('excuses all events before an erasure of all of them, but not the erasures', async () => {
    await erased(A, [[0, 0]]);
    await erased(A, 'all');
    const all = [0, 1, 2, 3].map((revision) => `${A} ${revision}` as const);
    expect(await find(await without(...all))).to.deep.equal({
      faults: [],
      ...{ withoutData: 4, erased: 4, erasures: 2 },
    });
    expect((await find(await without(...all, `${A} 4`))).faults).to.deep.equal(['data-missing A 4 at 8']);
    // it says nothing without its data
    expect(await find(await without(...all, `${A} 5`))).to.deep.equal({
      faults: ['data-missing A 1 at 2', 'data-missing A 2 at 4', 'data-missing A 3 at 6', 'data-missing A 5 at 9'],
      ...{ withoutData: 5, erased: 1, erasures: 1 },
    });
  });

  it('names what is readable although it was erased, once, by the first erasure that names it', async () => {
    await erased(A, [
      [0, 1],
      [3, 3],
    ]);
    await append(A);
    await erased(A, 'all');
    expect(await find(await without(`${A} 1`, `${A} 5`))).to.deep.equal({
      faults: ['not-erased A 0', 'not-erased A 3', 'not-erased A 2'],
      ...{ withoutData: 2, erased: 2, erasures: 2 },
    });
  });

  it('says by which erasure it was to be gone', async () => {
    await erased(A, [[1, 2]]);
    const reasons: Array<string> = [];
    const log = await without(`${A} 1`);
    await verifyLog(log, {
      keys: [oneKey],
      chainEnds: lookUpChainEnds(log),
      onFault: ({ reason }) => reasons.push(reason),
      isSealed,
      onPage: () => undefined,
      signal: new AbortController().signal,
    });
    expect(reasons).to.deep.equal(['recorded as erased by revision 4, and still readable']);
  });

  describe('of an erasure that was begun', () => {
    const records = [
      { stream: A, events: [[1, 2] as [number, number]] },
      { stream: B, events: 'all' as const },
    ];

    it('excuses what it names, and says that it has not ended until every record does', async () => {
      await begun(records);
      const gone = [`${A} 1`, `${A} 2`, `${B} 3`] as const;
      const unfinished = 'erasure-unfinished operations-erasure 0';
      expect(await find(await without(...gone))).to.deep.equal({
        faults: [unfinished],
        ...{ withoutData: 3, erased: 3, erasures: 0 },
      });
      expect((await find(await without(...gone, `${A} 3`))).faults).to.deep.equal([
        'data-missing A 3 at 6',
        unfinished,
      ]);
      await erased(A, [
        [1, 1],
        [2, 2],
      ]);
      expect((await find(await without(...gone))).faults).to.deep.equal([unfinished]);
      await erased(B, [[0, 2]]);
      expect((await find(await without(...gone, `${B} 0`, `${B} 1`, `${B} 2`))).faults).to.deep.equal([unfinished]);
      await erased(B, 'all');
      expect((await find(await without(...gone, `${B} 0`, `${B} 1`, `${B} 2`))).faults).to.deep.equal([]);
    });

    it('is about what came after it under the key of the record, until the stream says that all is erased', async () => {
      const isUnderWay = () => true;
      await begun([
        { stream: A, events: 'all' },
        { stream: B, events: [[1, 4]] },
      ]);
      await append(A);
      await append(B);
      const gone = [0, 1, 2, 3, 4].map((revision) => `${A} ${revision}` as const);
      expect((await find(await without(...gone, `${B} 4`), { isUnderWay })).faults).to.deep.equal([
        'data-missing B 4 at 10',
      ]);
      await erased(A, 'all');
      await append(A);
      expect((await find(await without(...gone, `${A} 6`), { isUnderWay })).faults).to.deep.equal([
        'data-missing A 6 at 12',
      ]);
    });

    it('counts where somebody with a key has recorded it', async () => {
      await begun(records, [otherKey]);
      expect((await find(await without(`${A} 1`))).faults).to.deep.equal([
        'data-missing A 1 at 2',
        'mac-unknown-key operations-erasure 0 at 8',
      ]);
    });

    it('may still be at work', async () => {
      await begun(records);
      const asked: Array<string> = [];
      const isUnderWay = (began: Date): boolean => asked.push(began.toISOString()) > 0;
      expect((await find(await without(`${A} 1`), { isUnderWay })).faults).to.deep.equal([]);
      expect(asked).to.deep.equal(['2026-05-06T07:23:00.000Z']);
    });

    it('is told by whom, and when', async () => {
      await begun(records);
      const reasons: Array<string> = [];
      await verifyLog(store, {
        keys: [oneKey],
        chainEnds: lookUpChainEnds(store),
        onFault: ({ reason }) => reasons.push(reason),
        isSealed,
        onPage: () => undefined,
        signal: new AbortController().signal,
      });
      expect(reasons).to.deep.equal([
        'an erasure was begun at 2026-05-06T07:23:00.000Z by bob, and has not ended: run `ops erase run` again',
      ]);
    });
  });

  it('says the same of one stream, and nothing of the others', async () => {
    await begun([{ stream: A, events: [[1, 1]] }]);
    await erased(B, [[2, 3]]);
    const log = await without(`${A} 1`, `${A} 2`, `${B} 2`);
    expect(await find(log, { stream: A })).to.deep.equal({
      faults: ['data-missing A 2 at 2', 'erasure-unfinished operations-erasure 0'],
      ...{ withoutData: 2, erased: 1, erasures: 0 },
    });
    expect(await find(log, { stream: B })).to.deep.equal({
      faults: ['not-erased B 3'],
      ...{ withoutData: 1, erased: 1, erasures: 1 },
    });
  });

  describe('by an erasure that somebody has made up', () => {
    it('excuses nothing without a mac, or with one of another key', async () => {
      for (const [key, fault] of [
        [undefined, 'mac-missing'],
        [otherKey, 'mac-unknown-key'],
      ] as const) {
        store = makeInMemoryEventStore();
        chains = makeChains(oneKey);
        await fill();
        const forging = makeChains(key);
        for (const { stream, data } of await wholeLog(store)) forging(stream, JSON.parse(data) as Json); // reason: JSON
        const { event } = forging(A, { events: 'all', basis: BASIS }, 'BusinessErased');
        right(await store.append(A, 3n, [event]));
        const { faults, erased: excused, erasures } = await find(await without(`${A} 1`));
        expect(faults).to.include.members(['data-missing A 1 at 2', `${fault} A 4 at 8`]);
        expect([excused, erasures]).to.deep.equal([0, 0]);
      }
    });

    it('excuses nothing by more than was recorded', async () => {
      await erased(A, [[1, 1]]);
      const other = makeInMemoryEventStore();
      const events = (await wholeLog(await without(`${A} 1`, `${A} 2`))).map((event) =>
        event.type === 'BusinessErased' ? { ...event, data: event.data.replace('[1,1]', '[1,2]') } : event,
      );
      right(await other.appendInOrder(gatherAppends(events)));
      expect((await find(other)).faults).to.deep.equal([
        'data-missing A 1 at 2',
        'data-missing A 2 at 4',
        'chain-broken A 4 at 8',
      ]);
    });
  });

  it('believes erasures without a mac as far as they may have none', async () => {
    store = makeInMemoryEventStore();
    chains = makeChains();
    await fill();
    await erased(A, [[1, 1]]);
    const gone = [`${A} 1`, `${B} 1`] as const;
    expect((await find(await without(...gone), { keys: [] })).faults).to.deep.equal(['data-missing B 1 at 3']);
    expect((await find(await without(...gone))).faults).to.include('data-missing A 1 at 2');
    const by = { actor: 'olga', at: new Date('2026-05-06T07:08:09.000Z') };
    right(await requireMac(systemRuntime, store, { ...by, from: 9 }, oneKey));
    expect((await find(await without(...gone))).faults).to.deep.equal(['data-missing B 1 at 3']);
    // behind the decision
    await erased(B, 'all');
    for (const keys of [[oneKey], []])
      expect((await find(await without(...gone), { keys })).faults).to.deep.equal([
        'data-missing B 1 at 3',
        'mac-missing B 4 at 10',
      ]);
  });

  it('excuses what is erased while the log is read', async () => {
    await begun([{ stream: A, events: [[1, 2]] }]);
    const later = await without(`${A} 1`, `${A} 2`);
    const reading: EventStore = {
      ...later,
      async *readAll(range) {
        for await (const { events, checkpoint } of later.readAll(range))
          for (const event of events) {
            yield { events: [event], checkpoint };
            if (event.stream !== A || event.revision !== 1n) continue;
            // finished only now, and recorded
            const [data, type] = [{ events: [[1, 2]], basis: BASIS }, 'BusinessErased'];
            right(await later.append(A, 3n, [chains(A, data, type).event]));
          }
      },
    };
    expect(await find(reading)).to.include({ erased: 2, withoutData: 2 });
    expect((await find(later)).faults).to.deep.equal([]);
  });
});
