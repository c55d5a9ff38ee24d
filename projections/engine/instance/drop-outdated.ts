import type { Pool } from 'pg';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import { inTransaction, lockSchema } from '../schema.js';
import { dropInstance, LOCK_TIMEOUT } from './roles.js';

// one that another version of the program still writes is its own to keep
const OUTDATED = `
select table_name as name from (
  select *, row_number() over (partition by version order by role_since desc) as age
  from read_model.instance where projection = $1 and role = 'previous'
) as previous
where (age > 1 or role_since < now() - $3 * interval '1 ms') and (version = $2 or not exists (
  select from read_model.lease where name = table_name and expires_at > clock_timestamp()
))`;

/**
 * Drops rows that were replaced longer than `windowMs` ago (null: however long ago), and those that were
 * replaced before the last ones. Fails, and drops nothing, while somebody reads them: try later.
 */
export const dropOutdated = <State, Event extends DomainEvent>(
  pool: Pool,
  projection: Projection<State, Event>,
  windowMs: number | null,
): Promise<void> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
    const values = [projection.name, versionOf(projection), windowMs];
    const { rows } = await client.query<{ name: string }>(OUTDATED, values);
    for (const instance of rows) await dropInstance(client, instance);
  });
