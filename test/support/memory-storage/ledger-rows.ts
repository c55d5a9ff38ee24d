import { either as E } from 'fp-ts';
import type { Role } from '../../../projections/engine/generation/generation.js';
import { EMPTY } from '../../../projections/engine/ledger/number-rows.js';
import type { LedgerBatch, LedgerRows, LedgerWriter, Step } from '../../../projections/engine/storage.js';
import type { ReadTiles } from '../../../src/seal/read-tiles.js';
import type { Tile } from '../../../src/seal/tile.js';
import { type LedgerRow, storedLedgerRow } from './ledger-row.js';
import { refusal } from './refusal.js';
import { moveCheckpoint } from './step.js';
import { atOnce, ledgerContentsOf, type Tables } from './tables.js';

/** The rows of a ledger in their order. */
export const ledgerRowsOf = (tables: Tables, name: string): ReadonlyArray<LedgerRow> =>
  [...ledgerContentsOf(tables, name).rows.rows.values()].toSorted((one, other) => (one.index < other.index ? -1 : 1));

const placeOf = ({ level, index }: Pick<Tile, 'level' | 'index'>): string => `${level}/${index}`;

const writeTiles = (tables: Tables, name: string, tiles: LedgerBatch['tiles']): void => {
  const contents = ledgerContentsOf(tables, name);
  for (const tile of tiles) contents.tiles.put(placeOf(tile), Buffer.from(tile.hashes));
};

/** Tiles of a generation; of none, there are none. */
export const makeReadTiles = (tables: Tables, find: () => string | undefined): ReadTiles<never> =>
  atOnce(tables, (wanted: ReadonlyArray<Tile>) => {
    const name = find();
    const contents = name === undefined ? undefined : tables.instances.rows.get(name)?.contents;
    const stored = contents?.rowFor === 'event' ? contents.tiles.rows : undefined;
    return E.right(wanted.map((tile) => stored?.get(placeOf(tile))));
  });

/** Makes the rows, and gives what appends them with a step. */
export const prepareLedgerBatch = (
  tables: Tables,
  writer: LedgerWriter,
  { rows: fresh, tiles }: LedgerBatch,
): ((step: Step) => Role | undefined) => {
  const { name } = writer.generation;
  const rows = fresh.map(storedLedgerRow);
  return (step) => {
    const role = moveCheckpoint(tables, writer, step);
    if (role === undefined) return undefined;
    const stored = ledgerContentsOf(tables, name).rows;
    for (const row of rows) {
      if (stored.rows.has(row.index))
        throw refusal('23505', `duplicate key value violates unique constraint "${name}_pkey"`);
      stored.put(row.index, row);
    }
    writeTiles(tables, name, tiles);
    return role;
  };
};

export const makeLedgerRows = (tables: Tables, writer: LedgerWriter): LedgerRows => {
  const { name } = writer.generation;
  return {
    step: atOnce(tables, (step) => moveCheckpoint(tables, writer, step)),
    prepare: (batch) => atOnce(tables, prepareLedgerBatch(tables, writer, batch)),
    end: atOnce(tables, () => {
      const last = ledgerRowsOf(tables, name).at(-1);
      return last === undefined ? EMPTY : { size: last.index + 1n, latest: last.latest };
    }),
    leaves: atOnce(tables, (from, limit) =>
      ledgerRowsOf(tables, name)
        .filter(({ index }) => index >= from)
        .slice(0, limit)
        .map(({ index, leaf }) => ({ index, leaf })),
    ),
    readTiles: makeReadTiles(tables, () => name),
    writeTiles: atOnce(tables, (tiles) => writeTiles(tables, name, tiles)),
  };
};
