import type { Pool, PoolClient } from 'pg';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import {
  createInstance,
  type Instance,
  INSTANCE_COLUMNS,
  type InstanceRow,
  readInstance,
  readLive,
  tableOf,
  toInstance,
} from '../instance/instance.js';
import { acquireLease, type Lease, LEASE_MS, newHolder } from '../instance/lease.js';
import { inTransaction, lockSchema } from '../schema.js';
import { dropInstance } from '../instance/roles.js';
import { createIndexes } from '../table.js';
import { RebuildRefused } from './rebuild-refused.js';

export type Opened = {
  readonly instance: Instance;
  readonly lease: Lease;
  /** Whether it is to replace live rows that are not of this log. */
  readonly isReplacing: boolean;
};

type OpenOptions = { readonly isFromScratch: boolean; readonly isReplacing: boolean };

const UNFINISHED = `select ${INSTANCE_COLUMNS} from read_model.instance
  where projection = $1 and role = 'building' and is_rebuild order by created_at desc`;

const otherVersion = (name: string): RebuildRefused =>
  new RebuildRefused(
    `the live rows of "${name}" were made by another version of the program. ` +
      'Start the service of this version: it builds rows of its own beside them and switches by itself',
  );

const refuseOtherVersion = async <State, Event extends DomainEvent>(
  client: PoolClient,
  projection: Projection<State, Event>,
): Promise<void> => {
  const live = await readLive(client, projection.name);
  if (live !== undefined && live.version !== versionOf(projection)) throw otherVersion(projection.name);
};

/** Only one that this program began, with this log: its rows go on where its checkpoint is. */
const isResumable = <State, Event extends DomainEvent>(
  { version, logIdentity: ofLog }: Instance,
  projection: Projection<State, Event>,
  logIdentity: string,
): boolean => version === versionOf(projection) && ofLog === logIdentity;

/** Somebody holds the lease of the unfinished instance; for a few seconds that may be one that was killed. */
class BeingRebuilt extends RebuildRefused {}

const AGAIN_MS = 250;

const open = <State, Event extends DomainEvent>(
  pool: Pool,
  projection: Projection<State, Event>,
  logIdentity: string,
  { isFromScratch, isReplacing }: OpenOptions,
): Promise<Opened> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    if (!isReplacing) await refuseOtherVersion(client, projection);
    const holder = newHolder();
    const take = async (instance: Instance): Promise<Opened> => {
      const lease = await acquireLease(client, instance.name, holder, false);
      // read again after the lease was won: where the last holder left it
      const now = lease && (await readInstance(client, instance.name));
      if (now !== undefined && lease !== undefined) return { instance: now, lease, isReplacing };
      throw new BeingRebuilt(`another command rebuilds "${projection.name}": wait for it`);
    };
    const { rows } = await client.query<InstanceRow>(UNFINISHED, [projection.name]);
    const unfinished = await Promise.all(rows.map((row) => take(toInstance(row))));
    const [resumed] = unfinished;
    if (!isFromScratch && resumed !== undefined && isResumable(resumed.instance, projection, logIdentity))
      return resumed;
    for (const { instance } of unfinished) await dropInstance(client, instance);
    return take(await createInstance(client, projection, { role: 'building', logIdentity, isRebuild: true }));
  });

/**
 * The instance that a rebuild writes, and the right to write it: the unfinished one of an earlier rebuild, or a new
 * one. Throws `RebuildRefused` while another command rebuilds, or when the live rows are of another version, and the
 * signal's reason when aborted.
 */
export const openRebuild = async <State, Event extends DomainEvent>(
  pool: Pool,
  projection: Projection<State, Event>,
  logIdentity: string,
  { signal, ...options }: OpenOptions & { readonly signal: AbortSignal },
): Promise<Opened> => {
  for (let waited = 0; ; waited += AGAIN_MS)
    try {
      signal.throwIfAborted();
      return await open(pool, projection, logIdentity, options);
    } catch (error) {
      if (!(error instanceof BeingRebuilt) || waited > LEASE_MS) throw error;
      await pause(AGAIN_MS, signal);
    }
};

/** Makes the indexes of lists, where they are missing, side by side, and lets the planner look at the rows. */
export const finishTable = async <State, Event extends DomainEvent>(
  pool: Pool,
  { keys }: Projection<State, Event>,
  instance: Instance,
): Promise<void> => {
  const table = tableOf(instance);
  const made = await Promise.allSettled(
    createIndexes(table, instance.name, keys).map((statement) => pool.query(statement)),
  );
  const failed = made.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  await pool.query(`analyze ${table}`);
};

/** Drops what was built. */
export const discard = (pool: Pool, instance: Instance): Promise<void> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    await dropInstance(client, instance);
  });
