import type { Database } from '../../../src/postgres/pool.js';

const FIRST_AT = 1_000;
const GROWTH = 4;

/**
 * Analyzes a growing table now and then. Without statistics the query planner sorts whole lists on disk instead of
 * reading them in creation order by an index, and autovacuum analyzes only after about a minute. Call `wrote` with the
 * number of events written.
 */
export const makeStatistics = (database: Database, table: string): { readonly wrote: (events: number) => void } => {
  let written = 0;
  let next = FIRST_AT;
  return {
    wrote: (events) => {
      written += events;
      if (written < next) return;
      while (next <= written) next *= GROWTH;
      // does not block writers; if it fails, autovacuum does it later
      database.query(`analyze ${table}`).catch(() => undefined);
    },
  };
};
