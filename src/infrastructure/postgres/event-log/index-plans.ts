import type pg from 'pg';

/**
 * Our statements are right for one plan only, through an index and in its order, whatever the table's size. Left to
 * itself the planner scans a table that it believes to be small, keeps that plan in a prepared statement while the
 * table grows, and plans small batches anew each time, which costs more than to run them. To read a stretch of streams
 * it would scan the whole log by position and sort what it finds, with workers that are started for that alone.
 */
export const planByIndex = async (client: pg.ClientBase): Promise<void> => {
  await client.query(`
    set enable_seqscan = off;
    set enable_bitmapscan = off;
    set enable_sort = off;
    set enable_incremental_sort = off;
    set max_parallel_workers_per_gather = 0;
    set plan_cache_mode = force_generic_plan;
    set jit = off`);
};
