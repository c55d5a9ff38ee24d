import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { makeShownRecords } from '../../projections/engine/run/shown-records.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { makeManualClock } from '../support/manual-clock.js';
import { startMemoryEngine } from '../support/memory-engine.js';
import { makeMemoryStorage } from '../support/memory-storage/memory-storage.js';
import { append, created } from './appending.js';

describe('records that were shown from the log', () => {
  const given = (most?: number) => {
    let reached = 5n;
    return { shown: makeShownRecords(() => reached, most), reach: (position: bigint) => void (reached = position) };
  };

  it('are ahead, each by itself, until the rows have reached what was shown', () => {
    const { shown, reach } = given();
    shown.note('a', 5n);
    expect([shown.isAhead('a'), shown.isAnyAhead()]).to.deep.equal([false, false]);
    shown.note('a', 8n);
    shown.note('a', 7n);
    shown.note('b', 6n);
    for (const [position, expected] of [
      [5n, [true, true, false, true]],
      [6n, [true, false, false, true]],
      [7n, [true, false, false, true]],
      [8n, [false, false, false, false]],
    ] as const) {
      reach(position);
      expect([...['a', 'b', 'c'].map(shown.isAhead), shown.isAnyAhead()]).to.deep.equal(expected);
    }
  });

  it('are all ahead when there are more than are kept one by one, and none of them is reached', () => {
    const { shown, reach } = given(2);
    shown.note('a', 6n);
    shown.note('b', 7n);
    reach(6n);
    shown.note('c', 9n);
    expect(['a', 'b', 'c'].map(shown.isAhead)).to.deep.equal([false, true, true]);
    shown.note('d', 8n);
    expect(['a', 'd'].map(shown.isAhead)).to.deep.equal([true, true]);
    reach(8n);
    expect([shown.isAhead('a'), shown.isAnyAhead()]).to.deep.equal([true, true]);
    reach(9n);
    expect([shown.isAhead('a'), shown.isAnyAhead()]).to.deep.equal([false, false]);
  });

  it('are not ahead when what was known of the log is void', () => {
    const { shown } = given(1);
    for (const id of ['a', 'b', 'c']) shown.note(id, 9n);
    shown.forget();
    expect([shown.isAhead('a'), shown.isAhead('c'), shown.isAnyAhead()]).to.deep.equal([false, false, false]);
  });

  it('are taken from the log though rows that lack them count as fresh, and no others are', async () => {
    const clock = makeManualClock();
    const runtime = { ...systemRuntime, clock };
    const storage = makeMemoryStorage(runtime);
    const log = makeInMemoryEventStore();
    let isAway = false;
    let losses: () => void = () => undefined;
    const store: EventStore = {
      ...log,
      head: (categories) => (isAway ? Promise.resolve(E.left(new StoreUnavailable('away'))) : log.head(categories)),
    };
    const [id, other] = [randomUUID(), randomUUID()];
    await append(log, `business-${id}`, 0n, created('Acme'));
    const writing = startMemoryEngine(runtime, { store: log, storage, isSoleProcess: false });
    const reading = startMemoryEngine(runtime, {
      store,
      storage,
      projector: false,
      isSoleProcess: false,
      onLost: (forget) => {
        const before = losses;
        losses = () => {
          before();
          forget();
        };
      },
    });
    const { freshness, progress } = reading.projections.byName('businesses');
    const asked = (): Promise<ReadonlyArray<string>> => Promise.all([id, other].map(freshness.asked));
    try {
      await clock.advance(1_000);
      expect(await asked()).to.deep.equal(['Fresh', 'Fresh']);
      // a change that came after the log was asked for its head, and is not in the rows yet
      const beyond = progress.reached() + 1n;
      freshness.showed(id, beyond);
      expect(await asked()).to.deep.equal(['Behind', 'Fresh']);

      // also where nobody knows of the others
      isAway = true;
      const away = asked();
      await clock.advance(1_000);
      await away;
      const unsure = asked();
      await clock.advance(400);
      expect(await unsure).to.deep.equal(['Behind', 'Unsure']);
      isAway = false;

      await append(log, `business-${other}`, 0n, created('Other'));
      await clock.advance(1_000);
      expect(progress.reached() >= beyond).to.equal(true);
      expect(await asked()).to.deep.equal(['Fresh', 'Fresh']);

      freshness.showed(id, progress.reached() + 1n);
      losses();
      await clock.advance(2_000);
      expect(await asked()).to.deep.equal(['Fresh', 'Fresh']);
    } finally {
      const stopping = Promise.all([reading.stop(), writing.stop()]);
      await clock.advance(10_000);
      await stopping;
    }
  });
});
