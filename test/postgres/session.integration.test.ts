import { expect } from 'chai';
import type pg from 'pg';
import { makeLastingConnection } from '../../src/postgres/lasting-connection.js';
import { makePool } from '../../src/postgres/pool.js';
import { hostileSettings, setAll } from '../support/hostile-settings.js';
import { freshDatabase, startingPostgres } from '../support/postgres.js';

/** What does not matter to any of our statements, or is only a matter of speed. */
const UNSET = new Set([
  'backslash_quote', // strings are standard, and have no backslashes that escape
  'escape_string_warning',
  'quote_all_identifiers',
  'client_min_messages',
  'default_text_search_config', // words are made here, not by the server
  'check_function_bodies',
  'row_security', // no table of ours has policies
  'jit',
  'jit_above_cost',
  'from_collapse_limit',
  'join_collapse_limit',
  'geqo_threshold',
  'work_mem',
]);

type Query = Pick<pg.ClientBase, 'query'>;

const settingsOf = async (client: Query): Promise<ReadonlyArray<unknown>> => {
  const names = Object.keys(hostileSettings).filter((name) => !UNSET.has(name));
  const text = 'select name, setting from pg_settings where lower(name) = any($1) order by name';
  return (await client.query<Record<string, string>>(text, [names.map((name) => name.toLowerCase())])).rows;
};

describe('a session with Postgres', function () {
  this.timeout(startingPostgres);
  let hostile: string;
  let usual: string;

  before(async () => {
    [usual, hostile] = [await freshDatabase(), await freshDatabase()];
    await setAll(hostile, `database ${new URL(hostile).pathname.slice(1)}`);
  });

  const ofPool = async (connectionString: string, statementMs?: number): Promise<ReadonlyArray<unknown>> => {
    const limit = statementMs === undefined ? {} : { statementMs };
    const pool = makePool({ connectionString, name: 'test', connections: 1, connectMs: 30_000, ...limit });
    try {
      return await settingsOf(pool);
    } finally {
      await pool.end();
    }
  };

  it('is the same whatever the role and the database are set to', async () => {
    const expected = await ofPool(usual);
    expect(expected).to.have.length(Object.keys(hostileSettings).length - UNSET.size);
    expect(await ofPool(hostile)).to.deep.equal(expected);
    const lasting = makeLastingConnection({
      config: { connectionString: hostile },
      prepare: () => Promise.resolve(),
      onLost: () => undefined,
    });
    expect(await settingsOf(await lasting.open())).to.deep.equal(expected);
    await lasting.close();
  });

  it('has the time limit of statements that its pool asks for', async () => {
    for (const database of [usual, hostile])
      expect(await ofPool(database, 2_400)).to.deep.include({ name: 'statement_timeout', setting: '2400' });
  });

  it('begins also where each statement may take a millisecond, which the first one does not keep to', async () => {
    const limited = await freshDatabase();
    const pool = makePool({ connectionString: usual, name: 'test', connections: 1, connectMs: 30_000 });
    for (const setting of ["statement_timeout = '1ms'", "client_min_messages = 'debug5'"])
      await pool.query(`alter database ${new URL(limited).pathname.slice(1)} set ${setting}`);
    await pool.end();
    for (let round = 0; round < 3; round += 1)
      for (const found of await Promise.all(Array.from({ length: 10 }, () => ofPool(limited))))
        expect(found).to.deep.include({ name: 'statement_timeout', setting: '0' });
  });

  it('keeps a stronger durability than the one that it needs', async () => {
    const client = makePool({ connectionString: usual, name: 'test', connections: 1, connectMs: 30_000 });
    await client.query(`alter database ${new URL(usual).pathname.slice(1)} set synchronous_commit = 'remote_apply'`);
    await client.end();
    expect(await ofPool(usual)).to.deep.include({ name: 'synchronous_commit', setting: 'remote_apply' });
  });
});
