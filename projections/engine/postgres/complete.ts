import type { Pool } from 'pg';
import type { ReadModel } from '../../read-model.js';
import type { Generation } from '../generation/generation.js';
import { tableOf } from './schema/table.js';
import { tableStatements } from './schema/table-statements.js';

/** Indexes made at the same time. Fewer than the pool has connections: the lease is renewed meanwhile. */
const INDEXES_AT_ONCE = 4;

/** Creates missing indexes, several at the same time, and analyzes the table for the query planner. */
export const complete = async (
  pool: Pool,
  projection: ReadModel,
  generation: Pick<Generation, 'name'>,
): Promise<void> => {
  const table = tableOf(generation);
  const missing = [...tableStatements(projection, table, generation.name).indexes];
  const createNext = async (): Promise<void> => {
    for (let next = missing.shift(); next !== undefined; next = missing.shift()) await pool.query(next);
  };
  const made = await Promise.allSettled(Array.from({ length: INDEXES_AT_ONCE }, createNext));
  const failed = made.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  await pool.query(`analyze ${table}`);
};
