import pg from 'pg';

/** What a role or a database could be set to. Each of these changes what statements mean, what ends them or how they are planned. */
export const hostileSettings: Readonly<Record<string, string>> = {
  standard_conforming_strings: 'off',
  backslash_quote: 'off',
  escape_string_warning: 'on',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  DateStyle: 'German',
  IntervalStyle: 'iso_8601',
  TimeZone: 'Asia/Tokyo',
  bytea_output: 'escape',
  extra_float_digits: '-15',
  client_encoding: 'LATIN1',
  client_min_messages: 'debug1',
  default_text_search_config: 'pg_catalog.german',
  search_path: 'nowhere',
  gin_fuzzy_search_limit: '1',
  default_transaction_isolation: 'serializable',
  default_transaction_deferrable: 'on',
  exit_on_error: 'on',
  session_replication_role: 'replica',
  check_function_bodies: 'off',
  statement_timeout: '50ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '1ms',
  // a busy machine takes its time between connecting and the first statement
  idle_session_timeout: '1s',
  row_security: 'off',
  synchronous_commit: 'off',
  jit: 'on',
  jit_above_cost: '0',
  plan_cache_mode: 'force_generic_plan',
  enable_bitmapscan: 'off',
  enable_hashagg: 'off',
  enable_hashjoin: 'off',
  enable_indexonlyscan: 'off',
  enable_indexscan: 'off',
  enable_mergejoin: 'off',
  enable_nestloop: 'off',
  enable_seqscan: 'off',
  enable_sort: 'off',
  from_collapse_limit: '1',
  join_collapse_limit: '1',
  geqo_threshold: '2',
  work_mem: '64kB',
};

/** Sets all of it for new connections to a database, or for those of a role. */
export const setAll = async (connectionString: string, whose: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (const [name, value] of Object.entries(hostileSettings))
    await client.query(`alter ${whose} set ${name} = '${value}'`);
  await client.end();
};
