import type pg from 'pg';
import { isCanceled } from './sql-failure.js';

/**
 * What our statements rely on. The settings of a role, a database or a server, of `PGOPTIONS` and of a pooler may say
 * something else. What a server is tuned by (memory, costs, parallel workers) is not among them, and neither is
 * `default_transaction_read_only`: who sets that wants nothing to be written.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  // how values are read and written
  client_encoding: 'UTF8',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // which objects a name means, and which rows a search finds
  search_path: 'pg_catalog, pg_temp',
  gin_fuzzy_search_limit: '0',
  restrict_nonsystem_relation_kind: '',
  // how transactions run, and what ends them or their connection
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  session_replication_role: 'origin', // as a replica, rows that refer to others would stay when those go
  exit_on_error: 'off',
  lock_timeout: '0',
  transaction_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  idle_session_timeout: '0',
  // how statements are planned, where a connection does not say it
  enable_bitmapscan: 'on',
  enable_hashagg: 'on',
  enable_hashjoin: 'on',
  enable_indexonlyscan: 'on',
  enable_indexscan: 'on',
  enable_mergejoin: 'on',
  enable_nestloop: 'on',
  enable_seqscan: 'on',
  enable_sort: 'on',
  plan_cache_mode: 'auto',
};

/** A server that is older than one of the settings goes without it. Of no commit may its answer come before its flush. */
const TEXT = `
  select set_config(key, value, false) from json_each_text($1) where current_setting(key, true) <> value
  union all
  select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/** So often a new connection that is limited to less than its first statement takes is tried. */
const LIFTING_TRIES = 100;

/** Until this has run, the time limit that the role or the database is set to holds. */
const liftTimeLimit = async (client: pg.ClientBase): Promise<void> => {
  for (let tries = 1; ; tries += 1)
    try {
      await client.query('set statement_timeout = 0');
      return;
    } catch (error) {
      if (!isCanceled(error) || tries === LIFTING_TRIES) throw error;
    }
};

/** Sets a new connection to what all statements rely on; `statementMs`: time limit of each statement, 0 for none. */
export const beginSession = async (client: pg.ClientBase, statementMs = 0): Promise<void> => {
  await liftTimeLimit(client);
  await client.query(TEXT, [JSON.stringify({ ...SETTINGS, statement_timeout: `${statementMs}ms` })]);
};
