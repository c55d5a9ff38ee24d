import type { Pool } from 'pg';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { dropGeneration } from './generation.js';
import { inSchemaTransaction } from './schema.js';
import { limitLockWaits } from './switch.js';

// previous rows are left to a service that writes them because the live rows are of another version than they are
const OUTDATED = `
select table_name as name from (
  select *, row_number() over (partition by version order by role_since desc) as age
  from read_model.instance where projection = $1 and role = 'previous'
) as previous
where (age > 1 or role_since < now() - $3 * interval '1 ms') and (
  (version = $2 and exists (select from read_model.instance as live
    where live.projection = $1 and live.version = $2 and live.role = 'live'))
  or not exists (select from read_model.lease where name = table_name and expires_at > clock_timestamp())
)`;

/**
 * Drops previous generations: all but the newest of each version, and that too when it was replaced more than
 * `windowMs` ago (null: it stays). Rejects, and drops nothing, while somebody reads them: call it again later.
 */
export const dropOutdated = (pool: Pool, projection: ReadModel, windowMs: number | null): Promise<void> =>
  inSchemaTransaction(pool, async (client) => {
    await limitLockWaits(client);
    const values = [projection.name, versionOf(projection), windowMs];
    const { rows } = await client.query<{ name: string }>(OUTDATED, values);
    for (const generation of rows) await dropGeneration(client, generation);
  });
