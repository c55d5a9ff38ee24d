import { expect } from 'chai';
import type { Pool } from 'pg';
import { migrate, type VersionedSchema } from '../../src/postgres/migrate.js';
import { makePool } from '../../src/postgres/pool.js';
import { beforeStatement } from '../support/before-statement.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';
import { untilBlocked } from '../support/until-blocked.js';

/** None of these steps can be taken twice. */
const STEPS = ['create table public.one ()', 'create table public.two ()', 'create table public.three ()'];

const schemaOf = (steps: number, allowsNewer = true): VersionedSchema => ({
  lock: 4_711n,
  versionTable: 'public.steps',
  prepare: `create table if not exists public.steps (version integer);
    insert into public.steps select 0 where not exists (select from public.steps)`,
  steps: STEPS.slice(0, steps),
  allowsNewer,
});

describe('a schema in steps', function () {
  this.timeout(startingPostgres);
  let url: string;
  let pool: Pool;

  beforeEach(async () => {
    url = await freshDatabase();
    pool = makePool({ connectionString: url, name: 'test', connections: 4, connectMs: 30_000 });
  });
  afterEach(() => pool.end());

  const version = async (): Promise<unknown> => (await pool.query('select version from public.steps')).rows;

  it('is brought to each version by the steps that it lacks', async () => {
    for (const steps of [1, 1, 3, 3]) {
      await migrate(pool, schemaOf(steps));
      expect(await version()).to.deep.equal([{ version: steps }]);
    }
  });

  it('is as a newer version has made it after an older one that has waited for that', async () => {
    const older = beforeStatement(pool, 'select pg_advisory_xact_lock', () => migrate(pool, schemaOf(2)));
    await migrate(older, schemaOf(1));
    expect(await version()).to.deep.equal([{ version: 2 }]);
    await migrate(pool, schemaOf(3));
    expect(await version()).to.deep.equal([{ version: 3 }]);
  });

  it('of a name of its own is made by one of two programs that found none, and the other has waited for that', async () => {
    const own: VersionedSchema = {
      ...schemaOf(0),
      versionTable: 'own.steps',
      prepare: `create schema if not exists own; create table if not exists own.steps as select 0 as version`,
    };
    const late = makePool({ connectionString: url, name: 'test', connections: 1, connectMs: 30_000 });
    try {
      // a session that has made a schema knows what it may do, and need not look at any table to make the next one
      await late.query('create schema before');
      const first = await pool.connect();
      await first.query('begin');
      await first.query(`select pg_advisory_xact_lock(${own.lock})`);
      await first.query(own.prepare);
      const waiting = migrate(late, own);
      await untilBlocked(pool);
      await first.query('commit');
      first.release();
      await waiting;
    } finally {
      await late.end();
    }
    expect((await pool.query('select version from own.steps')).rows).to.deep.equal([{ version: 0 }]);
  });

  it('of a newer version is left alone by a program that may not work on it', async () => {
    await migrate(pool, schemaOf(2));
    const refused = await migrate(pool, schemaOf(1, false)).catch((error: unknown) => String(error));
    expect(refused).to.match(/^Error: public\.steps has schema version 2, this program knows up to 1: /);
    expect(await version()).to.deep.equal([{ version: 2 }]);
  });

  it('stays as it was where a step fails', async () => {
    await migrate(pool, schemaOf(1));
    await pool.query('create table public.three ()');
    const failed = await migrate(pool, schemaOf(3)).catch((error: unknown) => String(error));
    expect(failed).to.equal('error: relation "three" already exists');
    expect(await version()).to.deep.equal([{ version: 1 }]);
  });
});
