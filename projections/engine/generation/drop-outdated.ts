import type { Pool } from 'pg';
import type { Database } from '../../../src/postgres/pool.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { dropGeneration, type Generation, readLive, tableOf } from './generation.js';
import { inSchemaTransaction } from './schema.js';
import { limitLockWaits } from './switch.js';

// previous rows are left to a service that writes them because the live rows are of another version than they are
const OUTDATED = `
select table_name as name from (
  select *, row_number() over (partition by version order by role_since desc) as age
  from read_model.instance where projection = $1 and role = 'previous'
) as previous
where (age > 1 or role_since < now() - $3 * interval '1 ms') and not is_evidence and (
  (version = $2 and exists (select from read_model.instance as live
    where live.projection = $1 and live.version = $2 and live.role = 'live'))
  or not exists (select from read_model.lease where name = table_name and expires_at > clock_timestamp())
)`;

type Named = Pick<Generation, 'name'>;

/** How a record ends that has neither data nor a reason (`eventJson` in src/read/event-view.ts). */
const HAS_NOTHING = String.raw`~ '"data":(\{\}|null)\}$'`;

/**
 * Whether rows of a ledger have the data of events that the live rows know without: it was taken out of the log since, and
 * these rows are what is left of it. Their leaf is the same, because the hash of an event does not have its data in it.
 */
const hasMoreThan = async (database: Database, previous: Named, live: Named): Promise<boolean> => {
  const { rowCount } = await database.query(
    `select from ${tableOf(previous)} p join ${tableOf(live)} l using (idx)
     where p.leaf = l.leaf and l.body ${HAS_NOTHING} and not p.body ${HAS_NOTHING} limit 1`,
  );
  return rowCount !== 0;
};

/** Marks what must not be dropped, and gives the names of the others. */
const withoutEvidence = async (
  pool: Pool,
  projection: ReadModel,
  outdated: ReadonlyArray<Named>,
): Promise<ReadonlyArray<string>> => {
  const live = projection.rowFor === 'event' ? await readLive(pool, projection.name) : undefined;
  const names: Array<string> = [];
  for (const { name } of outdated)
    if (live !== undefined && (await hasMoreThan(pool, { name }, live)))
      await pool.query('update read_model.instance set is_evidence = true where table_name = $1', [name]);
    else names.push(name);
  return names;
};

/**
 * Drops previous generations: all but the newest of each version, and that too when it was replaced more than
 * `windowMs` ago (null: it stays). Those of a ledger that have what the log has lost stay. Rejects, and drops nothing,
 * while somebody reads them: call it again later.
 */
export const dropOutdated = async (pool: Pool, projection: ReadModel, windowMs: number | null): Promise<void> => {
  const values = [projection.name, versionOf(projection), windowMs];
  const { rows: outdated } = await pool.query<{ name: string }>(OUTDATED, values);
  if (outdated.length === 0) return;
  const names = await withoutEvidence(pool, projection, outdated);
  await inSchemaTransaction(pool, async (client) => {
    await limitLockWaits(client);
    const { rows } = await client.query<{ name: string }>(OUTDATED, values);
    for (const generation of rows) if (names.includes(generation.name)) await dropGeneration(client, generation);
  });
};
