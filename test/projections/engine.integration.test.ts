import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { either as E, option as O } from 'fp-ts';
import pg from 'pg';
import { businesses } from '../../projections/businesses.js';
import { projectionsOf, registry } from '../../src/entities/registry.js';
import type { EngineEvent } from '../../projections/engine/engine-event.js';
import { type Projections, startProjections } from '../../projections/engine/run/start-projections.js';
import { CHECKPOINT_CHANNEL } from '../../projections/engine/postgres/rows/write-batch.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makeInMemoryEventStore } from '../support/in-memory-event-store.js';
import {
  makeReadModelQueries,
  type ReadModelQueries,
} from '../../src/infrastructure/postgres/read-models/make-read-model-queries.js';
import { type Lookout, makeLookout } from '../support/lookout.js';
import { untilShown } from '../support/until-shown.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { append, created, deleted, renamed, sealed } from './appending.js';
import { recordsOf } from '../support/records-of.js';
import { IN_CREATION_ORDER } from '../../src/read/queries.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage, storageIn } from '../support/read-model-storage.js';

describe('the projection engine', function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let store: EventStore;
  let queries: ReadModelQueries;
  let database: pg.Pool;
  let running: Array<Projections>;
  let events: Array<EngineEvent>;
  let lookout: Lookout;

  beforeEach(async () => {
    lookout = makeLookout();
    connectionString = await freshDatabase();
    store = makeInMemoryEventStore();
    queries = makeReadModelQueries(systemRuntime.clock, { connectionString });
    database = new pg.Pool({ connectionString, max: 2 });
    database.on('error', () => undefined);
    running = [];
    events = [];
  });

  afterEach(async () => {
    await Promise.all(running.map((projections) => projections.stop()));
    await Promise.all([queries.close(), database.end()]);
  });

  const start = ({
    store: own = store,
    ...over
  }: { projector?: boolean; isSoleProcess?: boolean; store?: EventStore } = {}): Projections => {
    const projections = startProjections({
      runtime: { ...systemRuntime, clock: lookout.onClock(systemRuntime.clock) },
      projections: projectionsOf(registry),
      store: lookout.on(own),
      storage: lookout.on(ownStorage(connectionString)),
      projector: true,
      isSoleProcess: true,
      rollbackWindowMs: 60_000,
      onEvent: (event) => {
        events.push(event);
        lookout.note();
      },
      ...over,
    });
    running.push(projections);
    return projections;
  };

  /** Waits until the rows of businesses show everything up to a position, longer than a response to a write does. */
  const shows = async (projections: Projections, position: bigint): Promise<void> => {
    const { progress } = projections.byName('businesses');
    expect(await untilShown(progress, position)).to.equal(true);
  };

  const names = async (): Promise<ReadonlyArray<string>> => {
    const page = await queries.of(businesses).page({}, { order: IN_CREATION_ORDER, limit: 1000 });
    if (E.isLeft(page)) throw new Error('no page', { cause: page.left });
    return recordsOf(page.right).map((body) => (JSON.parse(body) as { name: string }).name);
  };

  const tags = (): ReadonlyArray<string> => events.map(({ _tag, projection }) => `${projection} ${_tag}`);

  it('reports an event of a record whose row shows more already, and leaves the row as it was', async () => {
    const [whole, cut] = [randomUUID(), randomUUID()];
    await append(store, `business-${whole}`, 0n, created('Whole'));
    const first = start();
    const position = await append(store, `business-${cut}`, 0n, created('Cut'));
    await shows(first, position);
    await first.stop();
    await database.query('update read_model.businesses set revision = 5 where id = $1', [cut]);
    const second = start();
    await append(store, `business-${whole}`, 1n, renamed('Whole & Co'));
    const last = await append(store, `business-${cut}`, 1n, renamed('Cut & Co'));
    await shows(second, last);
    expect(await names()).to.deep.equal(['Whole & Co', 'Cut']);
    expect(events.filter(({ _tag }) => _tag === 'Ahead')).to.deep.equal([
      { _tag: 'Ahead', projection: 'businesses', stream: `business-${cut}`, shown: 5n, newest: 1n },
    ]);
  });

  it('shows what was written as soon as the wait for it ends', async () => {
    const projections = start();
    const [one, two] = [randomUUID(), randomUUID()];
    await append(store, `business-${one}`, 0n, created('Acme'));
    const position = await append(store, `business-${two}`, 0n, created('Bolt'), renamed('Bolts'));
    await shows(projections, position);
    expect(await names()).to.deep.equal(['Acme', 'Bolts']);
    const later = await append(store, `business-${one}`, 1n, deleted);
    await shows(projections, later);
    expect(await names()).to.deep.equal(['Bolts']);
    expect(await queries.of(businesses).byId(one)).to.deep.equal(E.right(O.none));
  });

  it('goes on after a restart where it stopped', async () => {
    const id = randomUUID();
    const first = start();
    await shows(first, await append(store, `business-${id}`, 0n, created('Acme')));
    await first.stop();
    const position = await append(store, `business-${id}`, 1n, renamed('Acme & Co'));
    const second = start();
    await shows(second, position);
    expect(await names()).to.deep.equal(['Acme & Co']);
  });

  it('parks an entity with an event that it cannot read, while all others are projected', async () => {
    const projections = start();
    const [bad, good] = [randomUUID(), randomUUID()];
    const stream = `business-${bad}` as const;
    await append(store, stream, 0n, created('Bad'), sealed(renamed('From the future'), stream, 1n, 99));
    await append(store, stream, 2n, renamed('Later'), renamed('Latest'));
    const position = await append(store, `business-${good}`, 0n, created('Good'));
    await shows(projections, position);
    expect(await names()).to.deep.equal(['Bad', 'Good']);
    const byId = await queries.of(businesses).byId(bad);
    expect(E.isLeft(byId) && byId.left._tag).to.equal('RowParked');
    const { rows } = await database.query('select stream, revision, error, waiting from read_model.parked');
    expect(rows).to.deep.equal([
      { stream, revision: '1', error: 'schema version 99 is newer than this program', waiting: '3' },
    ]);
    expect(tags()).to.include('businesses Parked');
  });

  it('answers no GET from a row that was shown before an event of its entity could not be read', async () => {
    const projections = start();
    const id = randomUUID();
    const stream = `business-${id}` as const;
    await shows(projections, await append(store, stream, 0n, created('Acme')));
    const unreadable = sealed(renamed('From the future'), stream, 1n, 99);
    await shows(projections, await append(store, stream, 1n, unreadable));
    const byId = await queries.of(businesses).byId(id);
    expect(E.isLeft(byId) && byId.left._tag).to.equal('RowParked');
  });

  it('answers no GET from a row that the database does not let it replace by the newer one', async () => {
    const projections = start();
    const id = randomUUID();
    await shows(projections, await append(store, `business-${id}`, 0n, created('Acme')));
    await shows(projections, await append(store, `business-${id}`, 1n, renamed('N\0L')));
    const byId = await queries.of(businesses).byId(id);
    expect(E.isLeft(byId) && byId.left._tag).to.equal('RowParked');
  });

  it('parks an entity whose row the database rejects, while all others are projected', async () => {
    const projections = start();
    const [bad, good] = [randomUUID(), randomUUID()];
    const nul = String.fromCharCode(0);
    await append(store, `business-${good}`, 0n, created('Good'));
    await append(store, `business-${bad}`, 0n, created(`N${nul}L`));
    await append(store, 'business-no-uuid', 0n, created('Nameless'));
    const position = await append(store, `business-${good}`, 1n, renamed('Better'));
    await shows(projections, position);
    expect(await names()).to.deep.equal(['Better']);
    const { rows } = await database.query<{ stream: string }>('select stream from read_model.parked order by stream');
    expect(rows.map(({ stream }) => stream)).to.have.members([`business-${bad}`, 'business-no-uuid']);
  });

  it('keeps values of any length and alphabet', async () => {
    const projections = start();
    const long = '𝔘'.repeat(5_000);
    const position = await append(store, `business-${randomUUID()}`, 0n, created('Long', { ein: long, parent: long }));
    await shows(projections, position);
    const found = await queries
      .of(businesses)
      .page({ ein: long, parent: long }, { order: IN_CREATION_ORDER, limit: 10 });
    expect(E.isRight(found) && recordsOf(found.right).length).to.equal(1);
  });

  it('lets one process write and another take over at once when it stops', async () => {
    const first = start({ isSoleProcess: false });
    await lookout.until(() => tags().includes('businesses Projecting'));
    const second = start({ isSoleProcess: false });
    await lookout.until(() => tags().includes('businesses StandingBy'));
    const id = randomUUID();
    const position = await append(store, `business-${id}`, 0n, created('Acme'));
    await shows(second, position);
    await first.stop();
    const later = await append(store, `business-${id}`, 1n, renamed('Acme 2'));
    await shows(second, later);
    expect(await names()).to.deep.equal(['Acme 2']);
  });

  it('takes over from a process that died: at once where it is the only one, else when its lease runs out', async () => {
    const first = start();
    await lookout.until(() => tags().filter((tag) => tag.endsWith('Projecting')).length === 2);
    await first.stop();
    const die = async (): Promise<void> => {
      const names = await database.query<{ name: string }>('select table_name as name from read_model.instance');
      for (const { name } of names.rows) await storageIn(database).acquire(name, 'the dead', true);
    };
    await die();
    const id = randomUUID();
    const only = start();
    const position = await append(store, `business-${id}`, 0n, created('Acme'));
    await shows(only, position);
    await only.stop();
    await die();
    const projections = start({ isSoleProcess: false });
    const later = await append(store, `business-${id}`, 1n, renamed('Acme 2'));
    await lookout.until(() => projections.byName('businesses').status().reached >= later);
    expect(tags()).to.include('businesses StandingBy');
  });

  it('notifies a process that does not project of how far the rows are', async () => {
    start({ isSoleProcess: false });
    const projections = start({ isSoleProcess: false, projector: false });
    const position = await append(store, `business-${randomUUID()}`, 0n, created('Acme'));
    await shows(projections, position);
    expect(projections.byName('businesses').status().projector).to.deep.equal({ _tag: 'Elsewhere' });
  });

  it('lags when nobody projects, and no longer when somebody does', async () => {
    const projections = start({ projector: false, isSoleProcess: false });
    const position = await append(store, `business-${randomUUID()}`, 0n, created('Acme'));
    const waiting = projections.byName('businesses').progress.waitFor(position);
    await lookout.until(() => projections.byName('businesses').status().isBehind);
    expect(await waiting).to.equal(false);
    start({ isSoleProcess: false });
    await lookout.until(() => !projections.byName('businesses').status().isBehind);
  });

  it('counts as lagging again soon after the rows have advanced, while they lack what another process has written', async () => {
    const projecting = start({ isSoleProcess: false });
    const shown = await append(store, `business-${randomUUID()}`, 0n, created('Aged'));
    await shows(projecting, shown);
    await projecting.stop();
    const projections = start({ projector: false, isSoleProcess: false });
    await lookout.until(() => projections.byName('businesses').status().reached === shown);
    const first = await append(store, `business-${randomUUID()}`, 0n, created('Acme'));
    const { status } = projections.byName('businesses');
    await lookout.until(() => status().isBehind);
    // another process, which knows that the rows lag, answers soon
    const last = await append(store, `business-${randomUUID()}`, 0n, created('Bolt'));
    const heard = async (position: bigint): Promise<boolean> => {
      await database.query('select pg_notify($1, $2)', [CHECKPOINT_CHANNEL, `businesses ${position.toString()}`]);
      return status().reached === position;
    };
    // repeated, because a process that does not listen yet misses it
    await lookout.until(() => heard(first));
    await lookout.until(() => status().isBehind);
    await lookout.until(() => heard(last));
    await lookout.until(() => !status().isBehind);
  });

  it('does not serve or write read models that were made from another log', async () => {
    const first = start();
    await shows(first, await append(store, `business-${randomUUID()}`, 0n, created('Acme')));
    await first.stop();
    const second = start({ store: makeInMemoryEventStore() });
    const wrongLog = await lookout.until(
      () => second.byName('businesses').status().projector,
      ({ _tag }) => _tag === 'WrongLog',
    );
    expect(wrongLog)
      .to.have.property('wrongLog')
      .with.property('message')
      .that.contains('projections rebuild businesses --from-other-log');
  });

  it('goes on by itself when its connections were cut', async () => {
    const projections = start();
    const id = randomUUID();
    await shows(projections, await append(store, `business-${id}`, 0n, created('Acme')));
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    const position = await append(store, `business-${id}`, 1n, renamed('Acme 2'));
    await shows(projections, position);
    expect(await names()).to.deep.equal(['Acme 2']);
  });

  it('tries parked entities again when it starts again', async () => {
    const id = randomUUID();
    const first = start();
    await shows(first, await append(store, `business-${id}`, 0n, created('Acme')));
    const { rows } = await database.query<{ name: string }>(
      `select table_name as name from read_model.instance where projection = 'businesses'`,
    );
    const table = `read_model.${rows[0]!.name}`;
    await database.query(`alter table ${table} add constraint picky check (name <> 'Bad')`);
    await shows(first, await append(store, `business-${id}`, 1n, renamed('Bad'), renamed('Good')));
    await shows(first, await append(store, `business-${id}`, 3n, renamed('Bad')));
    expect(await names()).to.deep.equal(['Good']);
    await shows(first, await append(store, `business-${id}`, 4n, renamed('Better')));
    expect(await names()).to.deep.equal(['Good']);
    await first.stop();
    await database.query(`alter table ${table} drop constraint picky`);
    const second = start();
    await shows(second, await append(store, `business-${id}`, 5n, renamed('Best')));
    expect(await names()).to.deep.equal(['Best']);
    expect((await database.query('select stream from read_model.parked')).rows).to.deep.equal([]);
    expect(tags()).to.include('businesses Unparked');
  });

  it('has the planner know all columns of text by which lists are filtered, also of tables of earlier programs', async () => {
    const first = start();
    await shows(first, await append(store, `business-${randomUUID()}`, 0n, created('A')));
    await first.stop();
    const known = async (): Promise<ReadonlyArray<string>> => {
      const text = `select expr from pg_stats_ext_exprs where tablename like 'businesses%' and n_distinct is not null`;
      return (await database.query<{ expr: string }>(text)).rows.map(({ expr }) => expr).sort();
    };
    const drops = `select 'drop statistics read_model.' || stxname as text from pg_statistic_ext
      where stxrelid in (select oid from pg_class where relname like 'businesses%')`;
    const { rows } = await database.query<{ text: string }>(drops);
    expect(rows).to.have.length(4);
    for (const { text } of rows) await database.query(text);
    start();
    expect(await lookout.until(known, (found) => found.length === 4)).to.deep.equal(
      ['business_type', 'ein', 'name', 'parent'].map((column) => `("left"(${column}, 255) COLLATE "C")`),
    );
  });

  it('analyzes a table that is being filled', async () => {
    const projections = start();
    let position = 0n;
    for (let i = 0; i < 1_500; i++) position = await append(store, `business-${randomUUID()}`, 0n, created(`No ${i}`));
    await shows(projections, position);
    const analyzed = `select count(*)::int from pg_stat_user_tables where last_analyze is not null and relname like 'businesses%'`;
    const tables = async () => (await database.query<{ count: number }>(analyzed)).rows[0]?.count;
    await lookout.until(tables, (count) => count === 1);
  });
});
