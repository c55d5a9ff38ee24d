import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { FRESH_MS } from '../../projections/engine/run/comparison.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import type { RowsFreshness } from '../../src/read/row-or-fold.js';
import { CHANNEL, type Engine, makeEngine } from '../support/engine.js';
import { eventually } from '../support/eventually.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { timeTaken } from '../support/time-taken.js';
import { append, created, sealed } from './appending.js';

/** A log whose heads can be kept from coming. */
const makeQuietLog = (store: EventStore) => {
  let isQuiet = false;
  const head: EventStore['head'] = (categories) =>
    isQuiet ? Promise.resolve(E.left(new StoreUnavailable('quiet'))) : store.head(categories);
  return {
    store: { ...store, head },
    hush: () => void (isQuiet = true),
    speak: () => void (isQuiet = false),
  };
};

describe('a process that does not write the rows', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

  it('trusts its rows only as long as it has compared them with the log lately', async () => {
    const { database, store } = engine;
    const business = (name: string) => append(store, `business-${randomUUID()}`, 0n, created(name));
    const projecting = engine.serve();
    const shown = await business('Acme');
    await engine.shown(projecting, shown);
    await projecting.stop();

    const quietLog = makeQuietLog(store);
    const { byName } = engine.serve({ store: quietLog.store, projector: false });
    const { freshness } = byName('businesses');
    const becomes = async (wanted: RowsFreshness) =>
      expect(await eventually(freshness.rows, (rows) => rows === wanted)).to.equal(wanted);
    await becomes('Fresh');
    quietLog.hush();
    await becomes('Unsure');
    const until = freshness.shownUntil();
    expect(until).to.be.instanceOf(Date);
    const lacked = await business('Bolt');
    await becomes('Unsure');
    quietLog.speak();
    await becomes('Behind');
    // its rows are as old as they were
    expect(freshness.shownUntil()?.getTime()).to.be.within(until!.getTime(), until!.getTime() + FRESH_MS);
    // repeated, because a process that does not listen yet misses it
    const heard = async (): Promise<boolean> => {
      await database.query('select pg_notify($1, $2)', [CHANNEL, `businesses ${lacked}`]);
      return freshness.rows() === 'Fresh';
    };
    expect(await eventually(heard, Boolean)).to.equal(true);
  });

  it('knows rows that have seen more than the log holds, though it holds the last event that they show', async () => {
    const stream = `business-${randomUUID()}` as const;
    const event = sealed(created('Acme'), stream, 0n);
    const projecting = engine.serve();
    await engine.shown(projecting, await append(engine.store, stream, 0n, event));
    const later = await append(engine.store, `note-${randomUUID()}`, 0n, created('no business'));
    await engine.shown(projecting, later);
    await projecting.stop();
    expect(await engine.checkpoint('live')).to.equal(String(later));

    const restored = makeInMemoryEventStore();
    await restored.adoptIdentity(E.getOrElse(() => '')(await engine.store.identity()));
    await append(restored, stream, 0n, event);
    const { byName } = engine.serve({ store: restored, projector: false });
    const refused = () => byName('businesses').wrongLog()?.reason;
    expect(await eventually(refused, (reason) => reason !== undefined)).to.contain(`position ${later}`);
  });

  it('finds out at once that other rows have become live, which are of another log', async () => {
    const projecting = engine.serve();
    await engine.shown(projecting, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    await projecting.stop();
    const reading = engine.serve({ projector: false });
    await eventually(reading.reached, (reached) => reached > 0n);
    await engine.rebuild({ store: makeInMemoryEventStore(), isFromOtherLog: true });
    const { wrongLog } = reading.byName('businesses');
    expect(await eventually(() => wrongLog()?.difference, Boolean)).to.equal('OtherLog');
  });

  it('lets no write wait for rows whose projector has stopped renewing its lease, and waits for the next one', async () => {
    const { database, store } = engine;
    const business = (name: string) => append(store, `business-${randomUUID()}`, 0n, created(name));
    const projecting = engine.serve();
    const shown = await business('Acme');
    await engine.shown(projecting, shown);
    await projecting.stop();
    const reading = engine.serve({ projector: false });
    const { waitFor } = reading.byName('businesses').progress;
    expect(await eventually(reading.reached, (reached) => reached === shown)).to.equal(shown);
    // as after a crash: it was not given back
    await database.query(`update read_model.lease set expires_at = clock_timestamp() - interval '1 ms'`);
    const waits = async (): Promise<number> => {
      const position = await business('Bolt');
      return timeTaken(() => waitFor(position));
    };
    // the first write finds out, and does not wait as long as it may
    const first = await business('Bolt');
    let isShown = true;
    const taken = await timeTaken(async () => (isShown = await waitFor(first)));
    expect(isShown).to.equal(false);
    expect(taken).to.be.below(2_000);
    // so long, others may show what they have
    expect(await waits()).to.be.within(FRESH_MS, 2_000);
    const next = engine.serve();
    await engine.shown(next, await business('Cord'));
    expect(await eventually(async () => waitFor(await business('Dale')), Boolean)).to.equal(true);
  });

  it('knows how far the live rows are, and takes no others for them', async () => {
    const projecting = engine.serve();
    const shown = await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    await engine.shown(projecting, shown);
    await projecting.stop();
    await engine.rebuild({ decide: () => Promise.resolve('keep') });
    await engine.database.query(`update read_model.instance set checkpoint_commit = 99 where role = 'building'`);
    const { reached } = engine.serve({ projector: false });
    expect(await eventually(reached, (position) => position >= 0n)).to.equal(shown);
  });
});
