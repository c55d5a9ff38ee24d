import type { PoolClient } from 'pg';
import type { Database } from '../../../src/postgres/pool.js';
import { makeRetry } from '../../../src/event-sourcing/retry.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { failureIn, notAllowed } from '../engine-failure.js';
import { dropGeneration } from '../generation/generation.js';
import type { Lease } from '../generation/lease.js';
import { EXAMINE_MS } from '../generation/provenance.js';
import { makeLive } from '../generation/switch.js';
import type { Writer } from '../rows/write-batch.js';
import type { Rebuilding } from './rebuilding.js';

// the writer of the replaced rows becomes that of the new ones, so that no third process can take the lease in between
const HAND_OVER = `
update read_model.lease as own
set holder = other.holder, fencing = own.fencing + 1, expires_at = other.expires_at
from read_model.lease as other
where own.name = $1 and own.holder = $2 and own.fencing = $3::bigint and other.name = $4`;

const handOver = (database: Database, { name, holder, fencing }: Lease, replaced: string): Promise<unknown> =>
  database.query(HAND_OVER, [name, holder, fencing, replaced]);

const WRITERS = `select l.holder from read_model.instance i join read_model.lease l on l.name = i.table_name
  where i.projection = $1 and i.role <> 'building' and l.expires_at > clock_timestamp()`;

/** Throws `NotAllowed` while a process writes rows of another log, which it has not noticed. */
const requireNoWriter = async (database: Database, projection: string): Promise<void> => {
  const [writer] = (await database.query<{ holder: string }>(WRITERS, [projection])).rows;
  if (writer !== undefined)
    throw notAllowed(
      `${writer.holder} writes the rows of "${projection}", which are not of this log: stop or restart that process`,
    );
};

/** How long a process may take to notice that the rows are of another log, and to give them up, ms; and a few more. */
const NOTICED_MS = EXAMINE_MS + 5_000;
const AGAIN_MS = 500;

/** Waits until nobody writes the rows of another log. Throws as `requireNoWriter` when somebody goes on writing them, and the signal's reason when aborted. */
export const awaitNoWriter = async (
  runtime: Runtime,
  database: Database,
  projection: string,
  signal: AbortSignal,
): Promise<void> => {
  const until = runtime.clock.monotonic() + NOTICED_MS;
  const retry = makeRetry({ runtime, first: AGAIN_MS, longest: AGAIN_MS, until, signal });
  for (;;)
    try {
      await requireNoWriter(database, projection);
      return;
    } catch (error) {
      if (failureIn(error, 'NotAllowed') === undefined || !(await retry.again())) {
        signal.throwIfAborted();
        throw error;
      }
    }
};

/** Drops all other generations of the projection, and the view. Throws as `requireNoWriter`. */
const dropOthers = async (client: PoolClient, { projection, generation }: Writer): Promise<void> => {
  await requireNoWriter(client, projection.name);
  await client.query(`drop view if exists read_model.${projection.name}`);
  const text = 'select table_name as name from read_model.instance where projection = $1 and table_name <> $2';
  const { rows } = await client.query<{ name: string }>(text, [projection.name, generation.name]);
  for (const other of rows) await dropGeneration(client, other);
};

export type SwitchedTo = { readonly live: string; readonly previous: string | undefined };

/**
 * Makes the generation the live one in a transaction in which both are at the same position, so that readers never miss
 * an acknowledged write. The generation that was live becomes previous, and its writer gets the lease of the new one.
 */
export const switchTo = (rebuilding: Rebuilding): Promise<SwitchedTo> =>
  rebuilding.whileLevel(async (client, live) => {
    const { writer } = rebuilding;
    // live rows, if any, are of another log: there must be no rollback to them
    if (live === undefined) await dropOthers(client, writer);
    await makeLive(client, writer);
    if (live !== undefined) await handOver(client, writer.lease, live.name);
    return { live: writer.generation.name, previous: live?.name };
  });
