import type { Pool } from 'pg';
import { isUndefinedTable } from '../../../postgres/sql-failure.js';
import { runIn } from '../../../postgres/statement.js';
import type { LedgerExtent } from '../../../sealing/watch-unsigned.js';

/** How far the live rows of a ledger are, whichever version of the program makes them. Rejects with what the database throws. */
export const makeFindLedgerExtent = (pool: Pool, ledger: string) => {
  const run = runIn(pool);
  // one statement, so that both come from one snapshot
  const text = `select
    coalesce((select checkpoint_commit from read_model.instance where projection = $1 and role = 'live'), -1),
    (select coalesce(max(idx)::numeric + 1, 0) from read_model.${ledger})`;
  return async (): Promise<LedgerExtent> => {
    try {
      const [[upTo, size] = []] = await run({ name: `how far ${ledger} is`, text, values: [ledger] });
      return { upTo: BigInt(upTo ?? -1), size: Number(size ?? 0) };
    } catch (error) {
      if (isUndefinedTable(error)) return { upTo: -1n, size: 0 };
      throw error;
    }
  };
};
