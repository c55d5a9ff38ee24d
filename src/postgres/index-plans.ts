import type pg from 'pg';

/**
 * Has the planner use an index, and its order, for every statement of the connection: for statements of which that is
 * the only good plan, whatever the size of the table. By default the planner scans a table that it believes to be small
 * and keeps that plan while the table grows. It plans each small batch anew, which costs more than to run it. And for a
 * range it scans a whole table in another order and sorts it, with extra workers.
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

/**
 * Has the planner plan each statement of the connection for its very values, by the statistics: for statements whose best
 * plan depends on how frequent a value is. Planning takes about 0.15 ms each time. A whole table is never scanned.
 */
export const planByValues = async (client: pg.ClientBase): Promise<void> => {
  await client.query(`
    set enable_seqscan = off;
    set max_parallel_workers_per_gather = 0;
    set plan_cache_mode = force_custom_plan;
    set jit = off`);
};
