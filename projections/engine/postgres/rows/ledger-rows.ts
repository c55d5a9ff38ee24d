import { unlessNoTable } from '../../../../src/postgres/sql-failure.js';
import type { RunStatement } from '../../../../src/postgres/statement.js';
import { EMPTY } from '../../ledger/number-rows.js';
import type { LedgerRows, LedgerWriter } from '../../storage.js';
import { tableOf } from '../schema/table.js';
import { insertLedgerRows, LEDGER_ARRAYS, ledgerArrays } from './ledger-arrays.js';
import { makeReadTiles, tileArrays, upsertTiles } from './tiles.js';
import { makeWriteBatch, writeStep } from './write-batch.js';

/** The rows of a ledger and its tree; `wrote` is called with the number of rows written. */
export const makeLedgerRows = (
  run: RunStatement,
  writer: LedgerWriter,
  wrote: (rows: number) => void = () => undefined,
): LedgerRows => {
  const { generation } = writer;
  const table = tableOf(generation);
  const writeBatch = makeWriteBatch(run, writer, (first, source) => [
    insertLedgerRows(table, first, source),
    upsertTiles(first + LEDGER_ARRAYS, source),
  ]);

  return {
    step: (step) => writeStep(run, writer, step),
    prepare: ({ rows, tiles }) => {
      const values = [...ledgerArrays(rows), generation.name, ...tileArrays(tiles)];
      return async (step) => {
        const isEmpty = rows.length + tiles.length === 0;
        const role = isEmpty
          ? await writeStep(run, writer, step)
          : await unlessNoTable(() => writeBatch(step, values), undefined);
        if (role !== undefined) wrote(rows.length);
        return role;
      };
    },
    end: async () => {
      const [row] = await run({
        name: `end of ${table}`,
        text: `select idx + 1, to_char(latest at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
          from ${table} order by idx desc limit 1`,
        values: [],
      });
      const [size, latest] = row ?? [];
      return { size: BigInt(size ?? EMPTY.size), latest: latest ?? EMPTY.latest };
    },
    leaves: async (from, limit) => {
      const rows = await run({
        name: `leaves of ${generation.name}`,
        text: `select idx, encode(leaf, 'hex') from ${table} where idx >= $1::bigint order by idx limit $2::integer`,
        values: [from.toString(), String(limit)],
      });
      return rows.map(([index, leaf]) => ({ index: BigInt(index ?? 0), leaf: Buffer.from(leaf ?? '', 'hex') }));
    },
    readTiles: makeReadTiles(run, { generation: generation.name }),
    writeTiles: async (tiles) => {
      const values = [generation.name, ...tileArrays(tiles)];
      await run({ name: 'write tiles', text: upsertTiles(1, '(select) source'), values });
    },
  };
};
