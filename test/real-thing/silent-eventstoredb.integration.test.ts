import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { anEvent, append, appended, aStream, batchesUntil } from '../contract/event-store/store-under-test.js';
import { endsWithin } from '../support/ends-within.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { withStore } from '../infrastructure/eventstoredb/double-and-store.js';

// with the default timings, unlike the other tests

const LONG_MS = 10_000;

const failsWithin = async (ms: number, store: EventStore): Promise<boolean> => {
  const appending = append(store, aStream(), 'no-stream', anEvent());
  const isInTime = await endsWithin(ms, appending);
  const outcome = await appending;
  expect(E.isLeft(outcome) && outcome.left).to.be.instanceOf(StoreUnavailable);
  return isInTime;
};

describe('an outage of EventStoreDB', () => {
  let passed = 0;
  const later = (): number => systemRuntime.clock.monotonic() + passed;
  it(
    'answers within three seconds while the server is down, at once when it has been down for long, and recovers',
    withStore(
      async ({ store, double, reported }) => {
        await append(store, aStream(), 'no-stream', anEvent());
        double.node.kill();
        expect(await failsWithin(3_000, store)).to.equal(true);
        expect(await failsWithin(3_000, store)).to.equal(true);
        passed = LONG_MS;
        // less than any call that waits
        expect(await failsWithin(1_000, store)).to.equal(true);
        await double.node.restart();
        // it looks for the server until it is there
        const leaving = new AbortController();
        const following = batchesUntil(store.subscribe({ after: 'start' }, leaving.signal), () => false);
        await reported('reconnected');
        await appended(store, aStream(), 'no-stream', anEvent());
        leaving.abort();
        await following;
      },
      { timings: {}, runtime: { ...systemRuntime, clock: { ...systemRuntime.clock, monotonic: later } } },
    ),
  );

  it(
    'answers within three seconds while the server accepts calls and does not respond',
    withStore(
      async ({ store, double }) => {
        double.node.faults.isSilent = true;
        expect(await failsWithin(3_000, store)).to.equal(true);
      },
      { timings: {} },
    ),
  );
});
