import type { ClientBase, Pool } from 'pg';
import { eventually } from './eventually.js';

/**
 * Waits until one of the connections of this database is so (a condition over pg_stat_activity), or so many are, and gives
 * how many. Postgres tells nobody of it.
 */
export const untilConnections = (
  database: Pick<ClientBase | Pool, 'query'>,
  condition: string,
  count = 1,
  timeoutMs?: number,
): Promise<number> =>
  // polls: Postgres tells nobody
  eventually(
    async () => {
      // in a transaction the first look would be kept
      await database.query('select pg_stat_clear_snapshot()');
      const text = `select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and ${condition}`;
      return (await database.query<{ count: number }>(text)).rows[0]!.count;
    },
    (found) => found === count,
    timeoutMs,
  );
