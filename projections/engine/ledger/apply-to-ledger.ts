import type { RunStatement } from '../../../src/postgres/statement.js';
import { leafHash } from '../../../src/seal/hash.js';
import { appendLeaves, type TreeEdge } from '../../../src/seal/tree-edge.js';
import type { Ledger } from '../../ledger.js';
import { tableOf } from '../generation/generation.js';
import type { ApplyBatch } from '../rows/prepared-batch.js';
import { makeWriteBatch, type Writer, writeStep } from '../rows/write-batch.js';
import { insertLedgerRows, ledgerArrays, LEDGER_ARRAYS } from './ledger-rows.js';
import { EMPTY, type LedgerEnd, makeNumberRows } from './number-rows.js';
import { tileArrays, upsertTiles } from './tiles.js';
import { readTreeEdge } from './tree-edge.js';

/** Where the ledger and its tree go on. */
type End = LedgerEnd & { readonly edge: TreeEdge };

const readEnd = async (run: RunStatement, { generation }: Writer<Ledger>): Promise<End> => {
  const table = tableOf(generation);
  const [row] = await run({
    name: `end of ${table}`,
    text: `select idx + 1, to_char(latest at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      from ${table} order by idx desc limit 1`,
    values: [],
  });
  const [size, latest] = row ?? [];
  const end = { size: BigInt(size ?? EMPTY.size), latest: latest ?? EMPTY.latest };
  return { ...end, edge: await readTreeEdge(run, generation, Number(end.size)) };
};

/**
 * As `makeApplyBatch`, for a read model with a row for each event: appends rows, numbers them on from those that are there,
 * and adds their leaves to the tree. Only the holder of the lease appends, so the end is looked up once.
 */
export const makeApplyToLedger = (writer: Writer<Ledger>, run: RunStatement): ApplyBatch => {
  const { projection, generation } = writer;
  const numberRows = makeNumberRows(projection);
  const writeBatch = makeWriteBatch(run, writer, (first, source) => [
    insertLedgerRows(tableOf(generation), first, source),
    upsertTiles(first + LEDGER_ARRAYS, source),
  ]);
  let end: End | undefined;

  return {
    prepare: async (events) => {
      const before = end ?? (await readEnd(run, writer));
      const { rows, end: after } = numberRows(before, events);
      const { edge, tiles } = appendLeaves(
        before.edge,
        rows.map(({ leaf }) => leafHash(leaf)),
      );
      end = { ...after, edge };
      const values = [...ledgerArrays(rows), generation.name, ...tileArrays(tiles)];
      return {
        events,
        write: (move) => {
          const step = { ...move, last: events.at(-1) };
          return rows.length === 0 ? writeStep(run, writer, step) : writeBatch(step, values);
        },
      };
    },
  };
};
