import type { Pool } from 'pg';
import { eventually } from './eventually.js';

/** No promise of any program, only when to give up. */
const LONG_ENOUGH_MS = 60_000;

type Blocked = {
  /** Begun after that. */
  readonly since?: Date;
  readonly count?: number;
  /** Of the connections with this `application_name`. */
  readonly of?: string;
  /** Like this. */
  readonly query?: string;
};

/**
 * Waits until so many statements wait for somebody else's lock in this database, and gives how many do. Postgres tells
 * nobody of it.
 */
export const untilBlocked = async (
  database: Pick<Pool, 'query'>,
  { since = new Date(0), count = 1, of = '%', query = '%' }: Blocked = {},
): Promise<number> => {
  const text = `select from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and query_start > $1::timestamptz
      and application_name like $2 and query ilike $3`;
  // polls: Postgres tells nobody of waits for locks
  const blocked = await eventually(
    async () => (await database.query(text, [since, of, query])).rowCount ?? 0,
    (found) => found >= count,
    LONG_ENOUGH_MS,
  );
  if (blocked < count) throw new Error(`only ${blocked} of ${count} statements like ${query} wait for a lock`);
  return blocked;
};
