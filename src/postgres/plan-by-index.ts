import type pg from 'pg';

/**
 * Has the planner use an index, and its order, for every statement of the connection: the only good plan for each of
 * them, whatever the size of the table. By default the planner scans a table that it believes to be small and keeps
 * that plan while the table grows. It plans each small batch anew, which costs more than to run it. And for a range of
 * streams it scans the whole log by position and sorts it, with extra workers.
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
