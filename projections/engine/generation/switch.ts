import type { PoolClient } from 'pg';
import { isLockTimeout } from '../../../src/postgres/sql-failure.js';
import type { Writer } from '../rows/write-batch.js';
import { type Generation, readLive, tableOf } from './generation.js';
import { inSchemaTransaction } from './schema.js';
import { pointView } from './table.js';

/** A reader of a whole list holds the view; a switch waits for none so long that others queue behind it. */
export const limitLockWaits = async (client: PoolClient): Promise<void> => {
  await client.query(`set local lock_timeout = '300ms'`);
};

const HOLDS = 'select from read_model.lease where name = $1 and holder = $2 and fencing = $3::bigint for share';

type LevelOptions = {
  /** The live rows that count; default: those of the projection. */
  readonly readLive?: (client: PoolClient) => Promise<Generation | undefined>;
  /** Asked while the live rows cannot move: whether the generation shows what it has to show beside them. */
  readonly isLevel: (live: Generation | undefined, client: PoolClient) => Promise<boolean>;
};

/**
 * Runs `work` in a transaction in which the live rows do not move, the generation is level with them, and nobody takes
 * the writer's lease. Writers of the live rows wait meanwhile, so `isLevel` and `work` must be short. Undefined, and
 * nothing done, when it is not level, the lease is lost, or readers are in the way for too long.
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

/** Has readers see a generation from the end of the transaction on; what was live before becomes previous. */
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
