import type { Pool } from 'pg';
import { unlessNoTable } from '../../../postgres/sql-failure.js';
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
    const statement = { name: `how far ${ledger} is`, text, values: [ledger] };
    const [[upTo, size] = []] = await unlessNoTable(() => run(statement), []);
    return { upTo: BigInt(upTo ?? -1), size: Number(size ?? 0) };
  };
};
