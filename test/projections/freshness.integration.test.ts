import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { type Engine, makeEngine } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, sealed } from './appending.js';

describe('a process that does not write the rows', function () {
  this.timeout(startingPostgres);
  let engine: Engine;

  beforeEach(async () => {
    engine = await makeEngine();
  });

  afterEach(() => engine.close());

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
    expect(await engine.until(() => byName('businesses').wrongLog()?.reason)).to.contain(`position ${later}`);
  });

  it('finds out at once that other rows have become live, which are of another log', async () => {
    const projecting = engine.serve();
    await engine.shown(projecting, await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme')));
    await projecting.stop();
    const reading = engine.serve({ projector: false });
    await engine.until(() => reading.reached() > 0n);
    await engine.rebuild({ store: makeInMemoryEventStore(), isFromOtherLog: true });
    const { wrongLog } = reading.byName('businesses');
    expect(await engine.until(() => wrongLog()?.difference)).to.equal('OtherLog');
  });

  it('knows how far the live rows are, and takes no others for them', async () => {
    const projecting = engine.serve();
    const shown = await append(engine.store, `business-${randomUUID()}`, 0n, created('Acme'));
    await engine.shown(projecting, shown);
    await projecting.stop();
    await engine.rebuild({ decide: () => Promise.resolve('keep') });
    await engine.database.query(`update read_model.instance set checkpoint_commit = 99 where role = 'building'`);
    const { reached } = engine.serve({ projector: false });
    expect(await engine.until(reached, (position) => position >= 0n)).to.equal(shown);
  });
});
