import { expect } from 'chai';
import pg from 'pg';
import { makeSearch } from '../../../src/infrastructure/postgres/read-models/searches.js';
import { makePool } from '../../../src/postgres/pool.js';
import { untilConnections } from '../../support/server-activity.js';
import { freshDatabase, startingPostgres } from '../../support/postgres.js';
import { startSeverableProxy } from '../../support/severable-proxy.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const statement = (text: string) => ({ name: '', text, values: [] });

const SLEEPING = statement('select pg_sleep(20)');

describe('a search', function () {
  this.timeout(startingPostgres);

  let connectionString: string;
  let client: pg.Client;
  let pool: pg.Pool;

  before(async () => {
    connectionString = await freshDatabase();
    client = new pg.Client({ connectionString });
    await client.connect();
    await client.query('create sequence begun');
    pool = makePool({ connectionString, name: 'searches', connections: 1, connectMs: 30_000 });
  });

  after(async () => {
    await pool.end();
    await client.end();
  });

  /** How many run, as soon as it is this many. */
  const running = (count: number): Promise<number> =>
    untilConnections(client, `application_name = 'searches' and state = 'active'`, count, 2_000);

  const isBegun = async (): Promise<boolean> =>
    (await client.query<{ is_called: boolean }>('select is_called from begun')).rows[0]!.is_called;

  it('gives its rows', async () => {
    const search = makeSearch(systemRuntime.clock, pool);
    expect((await search(statement('select generate_series(1, 3)'), performance.now() + 30_000))?.count).to.equal(3);
  });

  it('is ended in the server by what is left of its time, on a connection that serves on', async () => {
    const search = makeSearch(systemRuntime.clock, pool);
    const pid = async () =>
      (await search(statement('select pg_backend_pid()'), performance.now() + 30_000))?.ascii(0, 0);
    const before = await pid();
    for (const ms of [600, 300]) {
      const began = performance.now();
      expect(await search(SLEEPING, began + ms)).to.equal(undefined);
      expect(performance.now() - began).to.be.within(ms - 150, 5_000);
      expect(await running(0)).to.equal(0);
    }
    expect(await pid()).to.equal(before);
  });

  it('is given up while it waits for a connection, and is then never begun', async () => {
    const search = makeSearch(systemRuntime.clock, pool);
    const now = performance.now();
    const first = search(SLEEPING, now + 2_000);
    await running(1);
    const counting = statement(`select nextval('begun')`);
    const waiting = await Promise.all([300, 200, 100].map((ms) => search(counting, performance.now() + ms)));
    expect(waiting).to.deep.equal([undefined, undefined, undefined]);
    expect(await running(1)).to.equal(1);
    expect(await search(counting, performance.now() - 1)).to.equal(undefined);
    expect(await first).to.equal(undefined);
    expect((await search(statement('select 1'), performance.now() + 30_000))?.count).to.equal(1);
    expect(await isBegun()).to.equal(false);
  });

  it('rejects where the database gives no connection, which is no fault of searches', async () => {
    const proxy = await startSeverableProxy(connectionString);
    const silent = makePool({ connectionString: proxy.url, name: 'silent', connections: 1, connectMs: 30_000 });
    proxy.mute();
    const began = performance.now();
    const failed = await makeSearch(systemRuntime.clock, silent)(SLEEPING, began + 300).catch(
      (error: unknown) => error,
    );
    expect(String(failed)).to.include('has not given a connection');
    expect(performance.now() - began).to.be.below(5_000);
    await proxy.close();
    await silent.end();
  });

  it('rejects where its statement fails', async () => {
    const failed = await makeSearch(systemRuntime.clock, pool)(
      statement('select 1 / 0'),
      performance.now() + 30_000,
    ).catch((error: unknown) => error);
    expect(String(failed)).to.include('division by zero');
  });
});
