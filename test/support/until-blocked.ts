import type { Pool } from 'pg';
import { eventually } from './eventually.js';

/**
 * Waits until so many statements, begun after `since`, wait for somebody else's lock in this database, and gives how many
 * do. Postgres tells nobody of it.
 */
export const untilBlocked = async (
  database: Pick<Pool, 'query'>,
  { since = new Date(0), count = 1 }: { readonly since?: Date; readonly count?: number } = {},
): Promise<number> => {
  const text = `select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query_start > $1::timestamptz`;
  const blocked = await eventually(
    async () => (await database.query(text, [since])).rowCount ?? 0,
    (found) => found >= count,
  );
  if (blocked < count) throw new Error(`only ${blocked} of ${count} statements wait for a lock`);
  return blocked;
};
