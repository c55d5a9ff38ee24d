import type { PoolClient } from 'pg';
import { isLockTimeout } from '../../../src/postgres/sql-failure.js';
import type { Writer } from '../rows/write-batch.js';
import { type Generation, readLive, tableOf } from './generation.js';
import { inSchemaTransaction } from './schema.js';
import { pointView } from './table.js';

/**
 * A client that reads a list locks the view. Limits how long a switch waits for it, because new readers queue behind
 * it.
 */
export const limitLockWaits = async (client: PoolClient): Promise<void> => {
  await client.query(`set local lock_timeout = '300ms'`);
};

const HOLDS = 'select from read_model.lease where name = $1 and holder = $2 and fencing = $3::bigint for share';

type LevelOptions = {
  /** Reads and locks the live generation; default: that of the projection. */
  readonly readLive?: (client: PoolClient) => Promise<Generation | undefined>;
  /** Called while the live rows cannot change: whether the generation has caught up with them. */
  readonly isLevel: (live: Generation | undefined, client: PoolClient) => Promise<boolean>;
};

/**
 * Runs `work` in a transaction in which the live rows do not change, `isLevel` holds, and nobody can take the writer's
 * lease. Writers of the live rows wait meanwhile, so `isLevel` and `work` must be short. Undefined, and nothing done,
 * when `isLevel` gives false, the lease is lost, or readers hold a lock for too long.
 */
export const whileLevel = async <A>(
  { pool, projection, lease }: Writer,
  { readLive: read = (client) => readLive(client, projection.name, 'for update'), isLevel }: LevelOptions,
  work: (client: PoolClient, live: Generation | undefined) => Promise<A>,
): Promise<A | undefined> => {
  try {
    return await inSchemaTransaction(pool, async (client) => {
      await limitLockWaits(client);
      const live = await read(client);
      const held = await client.query(HOLDS, [lease.name, lease.holder, lease.fencing]);
      if (held.rowCount !== 1 || !(await isLevel(live, client))) return undefined;
      return work(client, live);
    });
  } catch (error) {
    if (isLockTimeout(error)) return undefined;
    throw error;
  }
};

/** Makes a generation the live one, from the commit of the transaction on; the one that was live becomes previous. */
export const makeLive = async (
  client: PoolClient,
  { projection, generation }: Pick<Writer, 'projection' | 'generation'>,
): Promise<void> => {
  const { name } = projection;
  await client.query(pointView(`read_model.${name}`, tableOf(generation)));
  const demote = `update read_model.instance set role = 'previous', role_since = now()
    where projection = $1 and role = 'live'`;
  await client.query(demote, [name]);
  const promote = `update read_model.instance set role = 'live', role_since = now() where table_name = $1`;
  await client.query(promote, [generation.name]);
};
