import type { Database } from '../../../../src/postgres/pool.js';
import type { ReadModel } from '../../../read-model.js';
import type { Generation } from '../../generation/generation.js';
import { tableOf } from './table.js';
import { tableStatements } from './table-statements.js';

const FIRST_AT = 1_000;
const GROWTH = 4;

type Statistics = {
  /** Creates the statistics that the table lacks because an earlier program created it. */
  readonly complete: () => void;
  /** Call it with the number of rows written. */
  readonly wrote: (rows: number) => void;
};

const COUNT = 'select count(*)::integer as count from pg_statistic_ext where stxrelid = $1::regclass';

/**
 * Keeps the query planner's statistics of a table. Analyzes it now and then while it grows: without statistics the
 * planner sorts whole lists on disk instead of reading them in creation order by an index, and autovacuum analyzes only
 * after about a minute. Nothing blocks writers or waits; what fails, autovacuum or the next start does later.
 */
export const makeStatistics = (
  database: Database,
  model: ReadModel,
  generation: Pick<Generation, 'name'>,
): Statistics => {
  const table = tableOf(generation);
  const wanted = tableStatements(model, table, generation.name).statistics;
  let written = 0;
  let next = FIRST_AT;

  const analyze = async (): Promise<void> => {
    await database.query(`analyze ${table}`);
  };

  const complete = async (): Promise<void> => {
    const { rows } = await database.query<{ count: number }>(COUNT, [table]);
    if ((rows[0]?.count ?? 0) >= wanted.length) return;
    for (const statement of wanted) await database.query(statement);
    await analyze();
  };

  return {
    complete: () => void complete().catch(() => undefined),
    wrote: (rows) => {
      written += rows;
      if (written < next) return;
      while (next <= written) next *= GROWTH;
      analyze().catch(() => undefined);
    },
  };
};
