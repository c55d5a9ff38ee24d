import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { type Api, makeApi } from '../support/api.js';
import { appendChained, businessStream, interleaved, makeChains } from '../support/chained-events.js';
import { draw } from '../support/draw.js';
import { eventually } from '../support/eventually.js';
import { untilBlocked } from '../support/until-blocked.js';
import { runOperator, startOperator } from '../support/operator.js';
import { freshDatabase } from '../support/postgres.js';
import { projectLog } from '../support/projected-log.js';
import { type ServiceProcess, startService, tokenFor } from '../support/service-process.js';

const [BUSINESSES, ROUNDS] = [200, 3];
/** Moments spread over the whole of a rebuild, and those that surely lie within a step of it. */
const ANYWHERE = 12;
const HELD = 8;

/** A step that is made to wait for a lock of the test's. `waits` is what the rebuild then says to the database. */
type Step = { readonly name: string; readonly lock: (building: string) => string; readonly waits: string };

const STEPS: ReadonlyArray<Step> = [
  {
    name: 'the end of the load',
    lock: (building) => `select from read_model.instance where table_name = '${building}' for no key update`,
    waits: 'with moved as%',
  },
  {
    name: 'making indexes',
    lock: (building) => `lock table read_model.${building} in row exclusive mode`,
    waits: '%create index%',
  },
  {
    name: 'comparing',
    lock: () => `select from read_model.instance where projection = 'businesses' and role = 'live' for update`,
    waits: 'select%for update%',
  },
  {
    // readers have been pointed at the new rows when this is waited for, and all of it is not committed
    name: 'the switch',
    lock: (building) => `select from read_model.lease where name = '${building}' for share`,
    waits: '%update read_model.lease as own%',
  },
];

describe('a rebuild that is killed', function () {
  this.timeout(900_000); // two dozen processes, one after the other
  let dataDir: string;
  let env: Record<string, string>;
  let pool: pg.Pool;
  let service: ServiceProcess;
  let api: Api;

  before(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'killed-rebuild-'));
    const url = await freshDatabase();
    env = { DATABASE_URL: url };
    pool = new pg.Pool({ connectionString: url, max: 4 });
    await projectLog(url, async (store) => {
      await appendChained(store, makeChains(), ...interleaved(BUSINESSES, ROUNDS));
      return BigInt(BUSINESSES * ROUNDS);
    });
    service = await startService({ dataDir, env });
    api = makeApi(service.address, await tokenFor('admin', 'alice'));
  });

  after(async () => {
    service.kill('SIGTERM');
    await service.exited;
    await pool.end();
    await rm(dataDir, { recursive: true });
  });

  const sql = async <Row extends object>(text: string): Promise<ReadonlyArray<Row>> =>
    (await pool.query<Row>(text)).rows;

  /** What the service shows, and the rows that it shows it from. */
  const shown = async () => ({
    list: await api.json<ReadonlyArray<unknown>>('GET', '/business'),
    one: await api.json('GET', `/business/${businessStream(7).slice('business-'.length)}`),
    live: await sql(`select table_name from read_model.instance where role = 'live' order by 1`),
    rows: await sql('select * from read_model.businesses order by place'),
  });

  const building = async (): Promise<string | undefined> =>
    (
      await sql<{ name: string }>(
        `select table_name as name from read_model.instance where projection = 'businesses' and role = 'building'`,
      )
    )[0]?.name;

  /** The time after which the next rebuild may take over from one that was killed. */
  const leaseRunsOut = () =>
    sql(`update read_model.lease set expires_at = '-infinity' where name in
      (select table_name from read_model.instance where role = 'building')`);

  const start = (...options: ReadonlyArray<string>) =>
    startOperator(['projections', 'rebuild', 'businesses', ...options], { env });

  const killAfter = async (ms: number): Promise<void> => {
    const { child, done } = await start('--switch', 'never');
    await Promise.race([done, delay(ms)]);
    child.kill('SIGKILL');
    await done;
  };

  /** A session that holds a lock until it is let go. */
  const holding = async (text: string): Promise<() => Promise<void>> => {
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query(text);
    return async () => {
      await holder.query('rollback');
      holder.release();
    };
  };

  /** Kills it at a moment when it is in the midst of a step, which a lock holds up. */
  const killWithin = async ({ lock, waits }: Step): Promise<void> => {
    const unfinished = await building();
    if (unfinished !== undefined) {
      await sql(`drop table read_model.${unfinished}`);
      await sql(`delete from read_model.instance where table_name = '${unfinished}'`);
      await sql(`delete from read_model.lease where name = '${unfinished}'`);
    }
    const begin = await holding('lock table read_model.stretch in share mode');
    const { child, done } = await start('--switch', 'always');
    try {
      await untilBlocked(pool, { of: 'ops', query: 'insert into read_model.stretch%' });
      const end = await holding(lock((await building()) ?? ''));
      try {
        await begin();
        await untilBlocked(pool, { of: 'ops', query: waits });
        child.kill('SIGKILL');
        expect((await done).code).to.equal('SIGKILL');
      } finally {
        await end();
      }
    } finally {
      child.kill('SIGKILL');
    }
  };

  it('has changed nothing at whatever moment, and the next one goes on and ends with the same rows', async () => {
    const before = await shown();
    const began = performance.now();
    expect((await runOperator(['projections', 'rebuild', 'businesses', '--dry-run'], { env })).code).to.equal(0);
    const whole = performance.now() - began;
    // one moment in each part of the time that a whole rebuild takes
    const moments = Array.from(
      { length: ANYWHERE },
      (_, index) => ((index + draw(fc.double({ min: 0, max: 1, noNaN: true }))) / ANYWHERE) * whole,
    );
    for (const ms of moments) {
      await killAfter(ms);
      expect(await shown(), `killed after ${ms} ms of ${whole}`).to.deep.equal(before);
      await leaseRunsOut();
    }
    for (let kill = 0; kill < HELD; kill += 1) {
      const step = STEPS[kill % STEPS.length]!;
      await killWithin(step);
      expect(await shown(), `killed within ${step.name}`).to.deep.equal(before);
      await leaseRunsOut();
    }

    const { code, stdout, stderr } = await runOperator(['projections', 'rebuild', 'businesses'], { env });
    expect(
      [code, stdout.includes(`compared ${BUSINESSES} rows`), stdout.includes('all are the same')],
      stderr,
    ).to.deep.equal([0, true, true]);
    expect(stdout).to.include('goes on with');
    const after = await shown();
    expect({ ...after, live: before.live }).to.deep.equal(before);

    const generations = await sql<{ name: string; role: string }>(
      `select table_name as name, role from read_model.instance order by projection, role`,
    );
    expect(generations.map(({ role }) => role)).to.deep.equal(['live', 'previous', 'live', 'live']);
    const names = generations.map(({ name }) => name).sort();
    const tables = await sql<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'read_model'::regnamespace and relname ~ '_[0-9]+$'`,
    );
    const leases = await sql<{ name: string }>('select name from read_model.lease');
    const parts = await sql('select from read_model.stretch');
    // the server may notice a moment later that a process has gone
    // polls: the server notices by itself that a process has gone
    const sessions = await eventually(
      () => sql(`select from pg_stat_activity where application_name = 'ops' and datname = current_database()`),
      ({ length }) => length === 0,
    );
    expect([tables.map(({ name }) => name).sort(), leases.map(({ name }) => name).sort()]).to.deep.equal([
      names,
      names,
    ]);
    expect([parts.length, sessions.length]).to.deep.equal([0, 0]);
  });
});
