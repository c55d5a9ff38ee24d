import type { Pool, PoolClient } from 'pg';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import type { Random } from '../../../src/event-sourcing/random.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { EngineError, failureIn, notAllowed } from '../engine-failure.js';
import {
  createGeneration,
  dropGeneration,
  type Generation,
  GENERATION_COLUMNS,
  type GenerationRow,
  readGeneration,
  readLive,
  toGeneration,
} from './generation.js';
import { acquireLease, type Lease, LEASE_MS, newHolder } from './lease.js';
import { otherLog } from './provenance.js';
import { inSchemaTransaction } from './schema.js';

/** The generations of a projection, the live one first: those of unfinished rebuilds, or all others. */
const readAll = async (
  client: PoolClient,
  { name }: ReadModel,
  isUnfinishedRebuild: boolean,
): Promise<ReadonlyArray<Generation>> => {
  const { rows } = await client.query<GenerationRow>(
    `select ${GENERATION_COLUMNS} from read_model.instance
     where projection = $1 and (role = 'building' and is_rebuild) = $2
     order by array_position(array['live', 'building', 'previous'], role), role_since desc`,
    [name, isUnfinishedRebuild],
  );
  return rows.map(toGeneration);
};

/**
 * The generation that a service writes: that of this version of the projection. When there is none, it is created, as
 * the live one if the projection has no other. Throws `WrongLog` when the read models are of another log.
 */
export const openForService = (pool: Pool, projection: ReadModel, logIdentity: string): Promise<Generation> =>
  inSchemaTransaction(pool, async (client) => {
    const all = await readAll(client, projection, false);
    const sameVersion = all.find(({ version }) => version === versionOf(projection));
    const live = all.find(({ role }) => role === 'live');
    const foreign = [sameVersion, live].find(
      (generation) => generation !== undefined && generation.logIdentity !== logIdentity,
    );
    if (foreign !== undefined) throw new EngineError(otherLog(projection.name, foreign.logIdentity, logIdentity));
    const role = live === undefined ? 'live' : 'building';
    return sameVersion ?? createGeneration(client, projection, { role, logIdentity, isRebuild: false });
  });

export type OpenedRebuild = { readonly generation: Generation; readonly lease: Lease };

type RebuildOptions = {
  readonly runtime: Runtime;
  /** Drops unfinished rebuilds instead of continuing the newest. */
  readonly isFromScratch: boolean;
  /** Begins a generation of its own, and leaves unfinished rebuilds as they are. */
  readonly isDryRun: boolean;
  /** Whether the rebuild is to replace live rows of another log. */
  readonly isReplacing: boolean;
};

const requireSameVersion = async (client: PoolClient, projection: ReadModel): Promise<void> => {
  const live = await readLive(client, projection.name);
  if (live === undefined || live.version === versionOf(projection)) return;
  throw notAllowed(
    `the live rows of "${projection.name}" were made by another version of the program. ` +
      'Start the service of this version: it builds rows of its own beside them and switches by itself',
  );
};

const lease = async (
  random: Random,
  client: PoolClient,
  projection: ReadModel,
  { name }: Generation,
): Promise<OpenedRebuild> => {
  const taken = await acquireLease(client, name, newHolder(random), false);
  // read only now that nobody else writes it, so that the checkpoint is current
  const generation = taken && (await readGeneration(client, name));
  if (taken !== undefined && generation !== undefined) return { generation, lease: taken };
  throw new EngineError({
    _tag: 'LeaseLost',
    message: `another command rebuilds "${projection.name}": wait for it`,
  });
};

/** How many skipped events a rebuild was begun without: with another number, its rows are not what one begun now would make. */
const readSkips = async (client: PoolClient, { name }: Generation): Promise<number> => {
  const text = 'select skips::integer from read_model.instance where table_name = $1';
  return (await client.query<{ skips: number }>(text, [name])).rows[0]?.skips ?? 0;
};

const open = (
  pool: Pool,
  projection: ReadModel,
  logIdentity: string,
  { runtime: { random }, isFromScratch, isDryRun, isReplacing }: RebuildOptions,
): Promise<OpenedRebuild> =>
  inSchemaTransaction(pool, async (client) => {
    if (!isReplacing) await requireSameVersion(client, projection);
    const skips = projection.rowFor === 'entity' ? (projection.skipped?.ids.size ?? 0) : 0;
    const begin = async (): Promise<OpenedRebuild> => {
      const made = { role: 'building', logIdentity, isRebuild: true, skips } as const;
      return lease(random, client, projection, await createGeneration(client, projection, made));
    };
    if (isDryRun) return begin();
    const unfinished: Array<OpenedRebuild> = [];
    for (const each of await readAll(client, projection, true))
      unfinished.push(await lease(random, client, projection, each));
    const [newest, ...rest] = unfinished;
    const isResumable =
      newest?.generation.version === versionOf(projection) &&
      newest.generation.logIdentity === logIdentity &&
      (await readSkips(client, newest.generation)) === skips;
    const goesOn = newest !== undefined && isResumable && !isFromScratch;
    // a dry run that was killed may have left one beside another
    for (const { generation } of goesOn ? rest : unfinished) await dropGeneration(client, generation);
    return goesOn ? newest : begin();
  });

/** How often the lease is tried: a command that was killed still holds it for up to `LEASE_MS`. */
const AGAIN_MS = 250;

/**
 * The generation that a rebuild writes, and its lease: the unfinished one of an earlier rebuild, or a new one; always a new one
 * where events were skipped since that began. Throws `LeaseLost` while another command rebuilds, `NotAllowed` when the live rows are of another version, and
 * the signal's reason when aborted.
 */
export const openForRebuild = async (
  pool: Pool,
  projection: ReadModel,
  logIdentity: string,
  { signal, ...options }: RebuildOptions & { readonly signal: AbortSignal },
): Promise<OpenedRebuild> => {
  const { runtime } = options;
  const until = runtime.clock.monotonic() + LEASE_MS + AGAIN_MS;
  const retry = makeRetry({ runtime, first: AGAIN_MS, longest: AGAIN_MS, until, signal });
  for (;;)
    try {
      signal.throwIfAborted();
      return await open(pool, projection, logIdentity, options);
    } catch (error) {
      if (failureIn(error, 'LeaseLost') === undefined) throw error;
      if (await retry.again()) continue;
      signal.throwIfAborted();
      throw error;
    }
};
