import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable, StreamTruncated } from '../../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import { lookUpChainEnds } from '../../../src/event-sourcing/whole-log/chain-ends.js';
import { gatherAppends } from '../../../src/event-sourcing/whole-log/gather-appends.js';
import type { LogCheck } from '../../../src/event-sourcing/whole-log/log-check.js';
import type { LogFault } from '../../../src/event-sourcing/whole-log/log-fault.js';
import { keepChainEnds } from '../../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { verifyLog, verifyStream } from '../../../src/event-sourcing/whole-log/verify-log.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { appendChained, businessStream, interleaved, makeChains, wholeLog } from '../../support/chained-events.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/** A log with the same events, some of them changed. */
const changed = async (store: EventStore, change: (event: StoredEvent) => StoredEvent): Promise<EventStore> => {
  const other = makeInMemoryEventStore();
  const appends = gatherAppends((await wholeLog(store)).map(change));
  expect(E.isRight(await other.appendInOrder(appends))).to.equal(true);
  return other;
};

const NOTHING_ELSE = { withMac: 0, macFaults: 0, withoutData: 0, erased: 0, erasures: 0, unsealedDecisions: 0 };

describe('verifying a log', () => {
  let store: EventStore;
  let found: Array<Pick<LogFault, 'stream' | 'revision' | 'reason'>>;

  const verifying = (signal = new AbortController().signal) => ({
    keys: [],
    chainEnds: keepChainEnds(systemRuntime.random),
    onFault: ({ stream, revision, reason }: LogFault) => found.push({ stream: stream!, revision: revision!, reason }),
    onPage: () => undefined,
    signal,
  });

  beforeEach(async () => {
    found = [];
    store = makeInMemoryEventStore();
    await appendChained(store, makeChains(), ...interleaved(10, 60));
  });

  it('finds nothing in a log that is whole', async () => {
    expect(await verifyLog(store, verifying())).to.deep.equal({
      events: 600,
      streams: 10,
      broken: 0,
      ...NOTHING_ELSE,
      isComplete: true,
    });
    expect(found).to.deep.equal([]);
  });

  it('names the first broken event of each broken stream, and goes on with the others', async () => {
    const [first, second] = [businessStream(3), businessStream(8)];
    const other = await changed(store, (event) => {
      if (event.stream === first && event.revision >= 20n) return { ...event, type: 'BusinessRenamed' };
      if (event.stream === second && event.revision === 59n) return { ...event, data: '{}' };
      return event;
    });
    const verified = await verifyLog(other, verifying());
    expect(verified).to.deep.equal({ events: 600, streams: 10, broken: 2, ...NOTHING_ELSE, isComplete: true });
    expect(found).to.deep.equal([
      { stream: first, revision: 20n, reason: 'hash does not match the event' },
      { stream: second, revision: 59n, reason: 'dataHash does not match data' },
    ]);
  });

  it('finds the same when it remembers the ends of a few chains and looks the others up', async () => {
    const [first, second] = [businessStream(3), businessStream(8)];
    const other = await changed(store, (event) => {
      if (event.stream === first && event.revision === 20n) return { ...event, type: 'BusinessRenamed' };
      if (event.stream === second && event.revision >= 40n) return { ...event, metadata: '{}' };
      return event;
    });
    const verified = await verifyLog(other, { ...verifying(), chainEnds: lookUpChainEnds(other, 2) });
    expect(verified).to.include({ events: 600, streams: 10 });
    expect(found.slice(0, 3)).to.deep.equal([
      { stream: first, revision: 20n, reason: 'hash does not match the event' },
      { stream: second, revision: 40n, reason: 'previousHash is not the hash of the event before it' },
      { stream: second, revision: 50n, reason: 'revision 50, expected 0' },
    ]);
  });

  it('goes on where the end of a chain is looked up in a stream whose events are hidden', async () => {
    const hiding: EventStore = {
      ...store,
      // eslint-disable-next-line require-yield, @typescript-eslint/require-await -- the port is asynchronous
      async *readStream(stream) {
        throw new StreamTruncated(stream);
      },
    };
    const chainEnds = lookUpChainEnds(hiding, 2);
    expect(await verifyLog({ ...hiding, readStream: store.readStream }, { ...verifying(), chainEnds })).to.include({
      events: 600,
    });
    expect(new Set(found.map(({ reason }) => reason))).to.deep.equal(new Set(['revision 50, expected 0']));
  });

  it('does not take a log that cannot be read for a broken chain', async () => {
    const silent: EventStore = {
      ...store,
      // eslint-disable-next-line require-yield, @typescript-eslint/require-await -- the port is asynchronous
      async *readStream() {
        throw new StoreUnavailable('away');
      },
    };
    const chainEnds = lookUpChainEnds(silent, 2);
    const verified = verifyLog({ ...silent, readStream: store.readStream }, { ...verifying(), chainEnds });
    const failure: unknown = await verified.catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(StoreUnavailable);
    expect(found).to.deep.equal([]);
  });

  it('reads one stream alone when it is asked for one', async () => {
    const expected = { events: 60, streams: 1, broken: 0, ...NOTHING_ELSE, isComplete: true };
    expect(await verifyStream(store, businessStream(3), verifying())).to.deep.equal(expected);
    expect((await verifyStream(store, 'business-none', verifying())).events).to.equal(0);
  });

  it('says that it did not come to the end when it was interrupted', async () => {
    const { isComplete, events } = await verifyLog(store, verifying(AbortSignal.abort()));
    expect({ isComplete, events }).to.deep.equal({ isComplete: false, events: 0 });
  });

  it('ends what it compares beside the chains at the end of the log, and not where it was interrupted', async () => {
    const stopping = new AbortController();
    const seen: Array<number | 'end'> = [];
    const check: LogCheck = {
      take: (events) => Promise.resolve(void seen.push(events.length)),
      end: () => Promise.resolve(void seen.push('end')),
    };
    await verifyLog(store, { ...verifying(), checks: [check] });
    const whole = seen.splice(0);
    expect(whole.at(-1)).to.equal('end');
    expect(whole.length).to.be.greaterThan(2);
    await verifyLog(store, { ...verifying(stopping.signal), checks: [check], onPage: () => stopping.abort() });
    expect(seen).to.deep.equal(whole.slice(0, 1));
  });
});
