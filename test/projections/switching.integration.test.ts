import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import pg from 'pg';
import { businesses } from '../../projections/businesses.js';
import { dropOutdated } from '../../projections/engine/generation/drop-outdated.js';
import { updatePrevious } from '../../projections/engine/run/update-previous.js';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';
import { CHANNEL, changed, type Engine, gated, makeEngine, outcomeOf } from '../support/engine.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import { startingPostgres } from '../support/postgres.js';
import { append, created, renamed } from './appending.js';
import type { ReadModelStorage } from '../../projections/engine/storage.js';
import type { RebuildOptions } from '../../projections/engine/rebuild/rebuild.js';
import { beforeStatement } from '../support/before-statement.js';
import { storageIn } from '../support/read-model-storage.js';
import { buffer } from 'node:stream/consumers';
import { to } from 'pg-copy-streams';

describe('who writes the rows, and who is notified of them, around a switch', function () {
  this.timeout(startingPostgres);
  let engine: Engine;
  let id: string;

  beforeEach(async () => {
    engine = await makeEngine();
    id = randomUUID();
  });

  afterEach(() => engine.close());

  it('whoever wrote the replaced rows may write the new ones, and a third process stands by', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    await service.stop();
    await engine.takeLease('live');
    await engine.rebuild();
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
    expect(await engine.holder('live')).to.equal('another');
    const third = engine.serve();
    const activity = () => third.byName('businesses').status().projector._tag;
    expect(await engine.until(activity, (tag) => tag !== 'Starting')).to.equal('StandingBy');
  });

  it('a service writes the new rows though nothing is appended', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    const { generation } = await engine.rebuild();
    const writes = (): string | undefined => {
      const { projector } = service.byName('businesses').status();
      return projector._tag === 'Projecting' ? projector.generation : undefined;
    };
    await engine.until(() => writes() === generation);
  });

  it('a list that waits for the switch shows what came to the rows just before it', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    const { connectionString } = engine;
    const client = new pg.Client({ connectionString });
    await client.connect();
    let isDecided = false;
    let listed: Promise<Buffer> | undefined;
    const store: EventStore = {
      ...engine.store,
      readAll: async function* (range) {
        if (isDecided) {
          isDecided = false;
          await engine.shown(service, await append(engine.store, `business-${randomUUID()}`, 0n, created('Bolt')));
        }
        yield* engine.store.readAll(range);
      },
    };
    // the view is that of the new rows by then, and nobody else sees it yet
    const demoted = beforeStatement(engine.database, `update read_model.instance set role = 'previous'`, async () => {
      const since = new Date();
      listed = buffer(client.query(to(`copy (select body from read_model.businesses order by place) to stdout`)));
      await engine.blocked(since);
    });
    const decide: RebuildOptions['decide'] = () => {
      isDecided = true;
      return Promise.resolve('switch');
    };
    const { outcome } = await engine.rebuild({ store, storage: storageIn(demoted), decide });
    const names = String(await listed).match(/(?<="name":")\w+/g);
    await client.end();
    expect([outcome, names]).to.deep.equal(['Switched', ['Acme', 'Bolt']]);
  });

  it('nobody is notified of rows that are not live yet, and everybody of those that are', async () => {
    const { store } = engine;
    const old = engine.follow(businesses);
    await engine.shown(old, await append(store, `business-${id}`, 0n, created('Acme')));
    await old.stop();
    const listener = new pg.Client({ connectionString: engine.connectionString });
    const heard: Array<string> = [];
    const emitter = new EventEmitter();
    const isHeard = once(emitter, 'businesses 3');
    listener.on('notification', ({ payload = '' }) => {
      heard.push(payload);
      emitter.emit(payload);
    });
    await listener.connect();
    await listener.query(`listen ${CHANNEL}`);
    const following = gated(store);
    engine.follow(changed, following);
    await engine.said('changed Projecting');
    await engine.whileLiveIsLocked(async () => {
      await append(store, `business-${id}`, 1n, renamed('Acme 2'));
      following.open();
      await engine.until(
        () => engine.checkpoint('building'),
        (at) => at === '2',
      );
      await engine.database.query('select pg_notify($1, $2)', [CHANNEL, 'built']);
    });
    expect(await engine.said('changed Switched')).to.equal(true);
    await append(store, `business-${id}`, 2n, renamed('Acme 3'));
    await isHeard;
    await listener.end();
    expect(heard).to.deep.equal(['built', 'businesses 3']);
  });

  it('the replaced rows are kept for their time from then on, however long they were live', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    await service.stop();
    await engine.database.query(`update read_model.instance set role_since = now() - interval '1 hour'`);
    await engine.rebuild();
    await dropOutdated(engine.storage, businesses, 60_000);
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
  });

  it('the look for outdated rows holds up no other change where somebody holds the live ones', async () => {
    await append(engine.store, `business-${id}`, 0n, created('Acme'));
    await engine.rebuild();
    const holder = await engine.database.connect();
    try {
      await holder.query('begin');
      await holder.query(`select from read_model.instance where role = 'live' for update`);
      await dropOutdated(engine.storage, businesses, 60_000);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect(await engine.roles()).to.deep.equal(['live']);
  });

  it('of the replaced rows only those stay that were replaced last', async () => {
    await append(engine.store, `business-${id}`, 0n, created('Acme'));
    const made = [await engine.rebuild(), await engine.rebuild(), await engine.rebuild()];
    const [, second, third] = made.map(({ generation }) => generation);
    expect(await engine.roles()).to.deep.equal(['previous', 'live']);
    expect([await engine.tableOf('previous'), await engine.tableOf('live')]).to.deep.equal([second, third]);
  });

  it('a rebuild waits for whoever reads a list, and switches when nobody does', async () => {
    await append(engine.store, `business-${id}`, 0n, created('Acme'));
    await engine.rebuild();
    const reader = await engine.database.connect();
    await reader.query('begin');
    await reader.query('select from read_model.businesses');
    const rebuilding = outcomeOf(engine.rebuild());
    try {
      expect(await engine.blockedSwitches()).to.equal(1);
      // it gives way to other readers before it tries again
      expect(await engine.names()).to.deep.equal(['Acme']);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect(await rebuilding).to.include({ outcome: 'Switched' });
  });

  it('who stops gives back the replaced rows, too', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    const writer = await engine.holder('live');
    await engine.rebuild();
    const isTaken = (name: string | null | undefined): boolean => typeof name === 'string' && name !== writer;
    await engine.until(() => engine.holder('previous'), isTaken);
    await service.stop();
    expect(await engine.holder('previous')).to.equal(undefined);
  });

  it('nobody writes the replaced rows on once the log is known to be another', async () => {
    const service = engine.serve();
    await engine.shown(service, await append(engine.store, `business-${id}`, 0n, created('Acme')));
    await service.stop();
    await engine.rebuild();
    let isSame = true;
    const stopping = new AbortController();
    const updating = updatePrevious(
      {
        runtime: engine.runtime,
        storage: engine.storage,
        store: engine.store,
        projection: businesses,
        windowMs: 60_000,
        isSameLog: () => isSame,
        onEvent: () => undefined,
      },
      stopping.signal,
    );
    try {
      await engine.until(() => engine.holder('previous'));
      isSame = false;
      await engine.until(async () => (await engine.holder('previous')) === undefined);
    } finally {
      stopping.abort();
      await updating;
    }
  });

  it('a rollback that fails leaves nobody waiting for the rows that it would have gone back to', async () => {
    const { store } = engine;
    await append(store, `business-${id}`, 0n, created('Acme'));
    await engine.rebuild();
    await engine.rebuild();
    const writer = engine.follow(businesses);
    await engine.shown(writer, await append(store, `business-${id}`, 1n, renamed('Acme 2')));
    await writer.stop();
    const away = new StoreUnavailable('the log is away');
    const readAll: EventStore['readAll'] = () => {
      throw away;
    };
    expect(await outcomeOf(engine.rollBack({ store: { ...store, readAll } }))).to.equal(away);
    expect([await engine.roles(), await engine.holder('previous')]).to.deep.equal([['previous', 'live'], undefined]);
  });

  it('a rollback goes back to nothing where another one has switched just before', async () => {
    await append(engine.store, `business-${id}`, 0n, created('Acme'));
    await engine.rebuild();
    await engine.rebuild();
    let isFirst = true;
    const storage: ReadModelStorage = {
      ...engine.storage,
      acquire: async (...wanted) => {
        if (isFirst) {
          isFirst = false;
          await engine.rollBack();
        }
        return engine.storage.acquire(...wanted);
      },
    };
    expect(await outcomeOf(engine.rollBack({ storage }))).to.deep.include({ _tag: 'NotAllowed' });
    expect([isFirst, await engine.roles()]).to.deep.equal([false, ['live', 'previous']]);
  });

  it('of rows of another log none are left to go back to', async () => {
    await append(engine.store, `business-${id}`, 0n, created('Acme'));
    await engine.rebuild();
    await engine.rebuild();
    const other = makeInMemoryEventStore();
    await append(other, `business-${id}`, 0n, created('Bolt'));
    await engine.rebuild({ store: other, isFromOtherLog: true });
    expect([await engine.roles(), await engine.names()]).to.deep.equal([['live'], ['Bolt']]);
    expect(await outcomeOf(engine.rollBack({ store: other }))).to.deep.include({ _tag: 'NotAllowed' });
  });
});
