import type { RunStatement } from '../../../src/postgres/statement.js';
import type { Ledger } from '../../ledger.js';
import { tableOf } from '../generation/generation.js';
import type { ApplyBatch } from '../rows/prepared-batch.js';
import { MOVED, NOTIFIED, roleOf, STEP_PARAMETERS, stepValues, type Writer, writeStep } from '../rows/write-batch.js';
import { insertLedgerRows, ledgerArrays } from './ledger-rows.js';
import { EMPTY, type LedgerEnd, makeNumberRows } from './number-rows.js';

const readEnd = async (run: RunStatement, table: string): Promise<LedgerEnd> => {
  const [row] = await run({
    name: `end of ${table}`,
    text: `select idx + 1, to_char(latest at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      from ${table} order by idx desc limit 1`,
    values: [],
  });
  const [size, latest] = row ?? [];
  return { size: BigInt(size ?? EMPTY.size), latest: latest ?? EMPTY.latest };
};

/**
 * As `makeApplyBatch`, for a read model with a row for each event: appends rows, and numbers them on from those that are
 * there. Only the holder of the lease appends, so the end is looked up once.
 */
export const makeApplyToLedger = (writer: Writer<Ledger>, run: RunStatement): ApplyBatch => {
  const { projection, generation } = writer;
  const table = tableOf(generation);
  const numberRows = makeNumberRows(projection);
  const name = `append to ${generation.name}`;
  const text = `with ${MOVED}, written as (${insertLedgerRows(table, STEP_PARAMETERS + 1, 'moved')}) ${NOTIFIED}`;
  let end: LedgerEnd | undefined;

  return {
    prepare: async (events) => {
      const numbered = numberRows(end ?? (await readEnd(run, table)), events);
      end = numbered.end;
      const { rows } = numbered;
      const arrays = ledgerArrays(rows);
      return {
        events,
        write: async (move) => {
          const step = { ...move, last: events.at(-1) };
          if (rows.length === 0) return writeStep(run, writer, step);
          return roleOf(await run({ name, text, values: [...stepValues(writer, step), ...arrays] }));
        },
      };
    },
  };
};
