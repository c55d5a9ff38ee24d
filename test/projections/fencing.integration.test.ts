import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect } from 'chai';
import { businesses } from '../../projections/businesses.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { changed, type Engine, gated, makeEngine, outcomeOf } from '../support/engine.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed, sealed } from './appending.js';

describe('a process that has lost its lease', function () {
  this.timeout(startingPostgres);
  let engine: Engine;
  let id: string;

  beforeEach(async () => {
    engine = await makeEngine();
    id = randomUUID();
  });

  afterEach(() => engine.close());

  it('does not switch to rows that lack what it could not write', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    const rebuilding = engine.rebuild({
      decide: async () => {
        await engine.shown(service, await append(engine.store, `business-${id}`, 1n, renamed('Acme 2')));
        await engine.takeLease('building');
        return 'switch';
      },
    });
    expect(await outcomeOf(rebuilding)).to.include({ _tag: 'LeaseLost' });
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live', 'building'], ['Acme 2']]);
  });

  it('notices it while it has nothing to write, and does not switch', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    const rebuilding = engine.rebuild({
      decide: async (_compared, signal) => {
        await engine.takeLease('building');
        await once(signal, 'abort');
        return 'switch';
      },
    });
    expect(await outcomeOf(rebuilding)).to.include({ _tag: 'LeaseLost' });
    expect([await engine.roles(), await engine.holder('building')]).to.deep.equal([['live', 'building'], 'another']);
  });

  it('does not switch to its version of the rows', async () => {
    const old = engine.follow(businesses);
    await engine.shown(old, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    await old.stop();
    const { store, open } = gated(engine.store);
    engine.follow(changed, { store });
    await engine.said('changed Projecting');
    await engine.whileLiveIsLocked(async () => {
      open();
      await engine.until(
        () => engine.checkpoint('building'),
        (at) => at === '1',
      );
      await engine.blocked(new Date());
      await engine.takeLease('building');
    });
    expect(await engine.said('changed LeaseLost')).to.equal(true);
    expect([await engine.roles(), engine.events.includes('changed Switched')]).to.deep.equal([
      ['live', 'building'],
      false,
    ]);
  });

  it('writes no part of what a rebuild loads', async () => {
    const { store } = engine;
    await append(store, `business-${id}`, 0n, created('Acme'));
    const { byStream } = store;
    async function* takenOver(...[range, upTo]: Parameters<NonNullable<EventStore['byStream']>['read']>) {
      await engine.takeLease('building');
      yield* byStream!.read(range, upTo);
    }
    const rebuilding = engine.rebuild({ store: { ...store, byStream: { ...byStream!, read: takenOver } } });
    expect(await outcomeOf(rebuilding)).to.include({ _tag: 'LeaseLost' });
    expect(await engine.revisions('building')).to.deep.equal([]);
  });

  it('leaves parked what it would have projected again', async () => {
    const { store, database } = engine;
    const first = engine.serve();
    await engine.shown(first, await append(store, `business-${id}`, 0n, created('Acme')));
    const table = `read_model.${await engine.tableOf('live')}`;
    await database.query(`alter table ${table} add constraint picky check (name <> 'Bad')`);
    await append(store, `business-${id}`, 1n, renamed('Bad'));
    await engine.shown(first, await append(store, `business-${randomUUID()}`, 0n, created('Bolt')));
    await first.stop();
    await database.query(`alter table ${table} drop constraint picky`);
    engine.serve({
      store: {
        ...store,
        readStream: async function* (stream, range) {
          if (stream === `business-${id}`) await engine.takeLease('live');
          yield* store.readStream(stream, range);
        },
      },
    });
    expect(await engine.said('businesses LeaseLost')).to.equal(true);
    expect([await engine.names(), engine.events.includes('businesses Unparked')]).to.deep.equal([
      ['Acme', 'Bolt'],
      false,
    ]);
    expect(await (await engine.operations()).findParked(`business-${id}`)).to.include({ revision: 1n, waiting: 1 });
  });

  it('goes on from the rows, and not from entities in memory, when it has the lease again', async () => {
    const { store, database } = engine;
    const service = engine.serve();
    await engine.shown(service, await append(store, `business-${id}`, 0n, created('Acme', { city: 'Wrong' })));
    // whoever mends a row takes the right to write it in the same transaction
    await database.query(
      `with fenced as (update read_model.lease set fencing = fencing + 1)
       update read_model.businesses set body = replace(body, 'Wrong', 'Mended')`,
    );
    expect(await engine.shown(service, await append(store, `business-${id}`, 1n, renamed('Acme 2')))).to.equal(true);
    const { rows: shown } = await database.query(
      `select body::json->>'name' as name, body::json->>'city' as city from read_model.businesses`,
    );
    expect(shown).to.deep.equal([{ name: 'Acme 2', city: 'Mended' }]);
  });

  it('has suffered no outage by that: one that follows is the first, and reported', async () => {
    const { store, database } = engine;
    let isAway = false;
    const subscribe: EventStore['subscribe'] = async function* (range, signal) {
      if (isAway) {
        isAway = false;
        throw new StoreUnavailable('the log is away');
      }
      yield* store.subscribe(range, signal);
    };
    const service = engine.follow(businesses, { store: { ...store, subscribe } });
    await engine.shown(service, await append(store, `business-${id}`, 0n, created('Acme')));
    await database.query('update read_model.lease set fencing = fencing + 1');
    isAway = true;
    await append(store, `business-${id}`, 1n, renamed('Acme 2'));
    expect(await engine.said('businesses Interrupted')).to.equal(true);
    expect(engine.events.filter((event) => / (LeaseLost|Interrupted)$/.test(event))).to.deep.equal([
      'businesses LeaseLost',
      'businesses Interrupted',
    ]);
  });

  it('writes nothing of a batch in which an entity cannot be projected', async () => {
    const { store } = engine;
    const service = engine.serve();
    await engine.shown(service, await append(store, `business-${id}`, 0n, created('Acme')));
    await engine.takeLease('live');
    const stream = `business-${randomUUID()}` as const;
    await append(store, stream, 0n, created('Bolt'), sealed(renamed('From the future'), stream, 1n, 99));
    expect(await engine.said('businesses LeaseLost')).to.equal(true);
    expect([await engine.names(), await (await engine.operations()).listParked(1)]).to.deep.equal([['Acme'], []]);
  });
});
