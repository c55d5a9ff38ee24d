import type { Database } from '../../../src/postgres/pool.js';

const FIRST_AT = 1_000;
const GROWTH = 4;

/**
 * Keeps the planner's picture of a growing table fit for use: without one it sorts a whole list, on disk, instead of
 * walking it in creation order. The server's own upkeep comes only after a minute, which a table that is being filled
 * does not have. `wrote` is told of every event written.
 */
export const makeStatistics = (database: Database, table: string): { readonly wrote: (events: number) => void } => {
  let written = 0;
  let next = FIRST_AT;
  return {
    wrote: (events) => {
      written += events;
      if (written < next) return;
      while (next <= written) next *= GROWTH;
      // beside the writing, which it does not block; if it fails, the server's own upkeep remains
      database.query(`analyze ${table}`).catch(() => undefined);
    },
  };
};
