import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { startSweeping, type SweepFailure } from '../../../src/application/document/start-sweeping.js';
import type { Swept } from '../../../src/application/document/sweep-files.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';
import { makeManualClock, type ManualClock } from '../../support/manual-clock.js';

const DAY = 24 * 3_600_000;

describe('sweeping from time to time', () => {
  let clock: ManualClock;
  let storage: FakeObjectStorage;
  let outcomes: Array<E.Either<SweepFailure, Swept>>;
  beforeEach(() => {
    [clock, storage, outcomes] = [makeManualClock(), new FakeObjectStorage(), []];
  });

  /** Its pauses are as long as they are in the mean. */
  const start = (by: Clock): ReturnType<typeof startSweeping> =>
    startSweeping({
      runtime: { clock: by, random: { ...systemRuntime.random, fraction: () => 0.5 } },
      store: makeInMemoryEventStore(),
      storage: Object.assign(storage, { list: storage.list.bind(storage) }),
      onFault: () => undefined,
      onSwept: (outcome) => outcomes.push(outcome),
    });

  it('tells what each sweep has come to, a minute after the start and then daily, and none after it was stopped', async () => {
    storage.objects.set('documents/a/stray', { size: 0, content: Buffer.alloc(0) });
    const sweeping = start(clock);
    const none = { examined: 0, removed: 0, unfinished: 0, faults: 0, isComplete: true };
    const marked = E.right({ ...none, isComplete: false });
    await clock.advance(59_999);
    expect(outcomes).to.deep.equal([]);
    await clock.advance(1);
    expect(outcomes).to.deep.equal([marked]);
    await clock.advance(DAY - 1);
    expect(outcomes).to.deep.equal([marked]);
    // it waits a moment after each document
    await clock.advance(1 + 10);
    const removed = E.right({ ...none, examined: 1, removed: 1 });
    expect(outcomes).to.deep.equal([marked, removed]);
    await clock.advance(DAY - 1);
    expect(outcomes).to.have.length(2);
    await clock.advance(1);
    expect(outcomes).to.deep.equal([marked, removed, E.right(none)]);
    await sweeping.stop();
    await clock.advance(10 * DAY);
    expect(outcomes).to.have.length(3);
  });

  it('tells a fault of its own, and sweeps on', async () => {
    const cause = new Error('a bug');
    const faulty: Clock = {
      ...clock,
      date: () => {
        throw cause;
      },
    };
    const sweeping = start(faulty);
    await clock.advance(3 * DAY);
    await sweeping.stop();
    const failed = E.left({ _tag: 'Unexpected', cause });
    expect(outcomes.slice(1)).to.deep.equal([failed, failed]);
  });
});
