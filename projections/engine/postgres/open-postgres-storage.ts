import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { makePool, type PoolOptions } from '../../../src/postgres/pool.js';
import type { OwnStorage } from '../storage.js';
import { makePostgresStorage } from './postgres-storage.js';

const CONNECT_MS = 2_000;
const QUERY_MS = 15_000;

type Options = Pick<PoolOptions, 'connectionString' | 'name' | 'connections' | 'prepare'> & {
  readonly runtime: Runtime;
};

/** The read models in a Postgres, by connections of its own. */
export const openPostgresStorage = ({ runtime, ...options }: Options): OwnStorage => {
  const pool = makePool({ ...options, connectMs: CONNECT_MS, queryMs: QUERY_MS });
  const { connectionString } = options;
  return { ...makePostgresStorage({ runtime, pool, connectionString }), close: () => pool.end() };
};
