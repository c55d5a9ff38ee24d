import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { startSweeping, type SweepFailure } from '../../../src/application/document/start-sweeping.js';
import type { Swept } from '../../../src/application/document/sweep-files.js';
import { makeInMemoryEventStore } from '../../support/in-memory-event-store.js';
import { eventually } from '../../support/eventually.js';
import { FakeObjectStorage } from '../../support/fake-object-storage.js';

describe('sweeping from time to time', () => {
  it('tells what each sweep has come to, and none after it was stopped', async () => {
    const outcomes: Array<E.Either<SweepFailure, Swept>> = [];
    const storage = new FakeObjectStorage();
    storage.objects.set('documents/a/stray', { size: 0, content: Buffer.alloc(0) });
    const sweeping = startSweeping(
      {
        store: makeInMemoryEventStore(),
        storage: Object.assign(storage, { list: storage.list.bind(storage) }),
        now: () => new Date(),
        onFault: () => undefined,
        onSwept: (outcome) => outcomes.push(outcome),
      },
      { first: 1, every: 1 },
    );
    await eventually(
      () => outcomes.length,
      (count) => count >= 3,
    );
    await sweeping.stop();
    const none = { examined: 0, removed: 0, unfinished: 0, faults: 0, isComplete: true };
    expect(outcomes.slice(0, 3)).to.deep.equal([
      E.right({ ...none, isComplete: false }),
      E.right({ ...none, examined: 1, removed: 1 }),
      E.right(none),
    ]);
  });

  it('tells a fault of its own, and sweeps on', async () => {
    const outcomes: Array<E.Either<SweepFailure, Swept>> = [];
    const cause = new Error('a bug');
    const storage = new FakeObjectStorage();
    const sweeping = startSweeping(
      {
        store: makeInMemoryEventStore(),
        storage: Object.assign(storage, { list: storage.list.bind(storage) }),
        now: () => {
          throw cause;
        },
        onFault: () => undefined,
        onSwept: (outcome) => outcomes.push(outcome),
      },
      { first: 1, every: 1 },
    );
    await eventually(
      () => outcomes.length,
      (count) => count >= 3,
    );
    await sweeping.stop();
    const failed = E.left({ _tag: 'Unexpected', cause });
    expect(outcomes.slice(1, 3)).to.deep.equal([failed, failed]);
  });
});
