import { orThrow } from '../../../../src/event-sourcing/attempt.js';
import type { OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import { HASH_BYTES, type Hash, leafHash, perfectRoot, splitHashes } from '../../../../src/seal/hash.js';
import type { ReadTiles } from '../../../../src/seal/read-tiles.js';
import { TILE_WIDTH, type Tile } from '../../../../src/seal/tile.js';
import type { StoredRow } from '../../storage.js';

/** A row, and what the tiles hold of it. */
export type SealedRow = StoredRow & {
  readonly leafHash: Hash;
  /** The leaf hash that stands in the tile at its index; undefined where there is none. */
  readonly sealed: Hash | undefined;
};

const WIDTH = BigInt(TILE_WIDTH);

const tileOf = (row: StoredRow): number => Number(row.index / WIDTH);

const placeIn = (row: StoredRow): number => Number(row.index % WIDTH);

/**
 * The tiles of rows that are in their order, each as wide as its last row says. It is full where rows of the next tile
 * follow. Rows may be far apart: whoever can write into the ledger gives a row any index.
 */
const tilesOf = (rows: ReadonlyArray<StoredRow>): ReadonlyArray<Tile> => {
  const widths = new Map<number, number>();
  for (const row of rows) {
    const index = tileOf(row);
    if (widths.has(index - 1)) widths.set(index - 1, TILE_WIDTH);
    widths.set(index, placeIn(row) + 1);
  }
  return Array.from(widths, ([index, width]) => ({ level: 0, index, width }));
};

const parentOf = ({ level, index }: Tile): Tile => ({
  level: level + 1,
  index: Math.floor(index / TILE_WIDTH),
  width: (index % TILE_WIDTH) + 1,
});

const hashAt = (bytes: Buffer | undefined, at: number): Hash | undefined => {
  const hash = bytes?.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES);
  return hash?.length === HASH_BYTES ? hash : undefined;
};

/** The leaf hash that the tiles have at an index; undefined where there is none. */
export const sealedAt = async (readTiles: ReadTiles<never>, index: bigint): Promise<Hash | undefined> => {
  const at = Number(index % WIDTH);
  const [bytes] = orThrow(await readTiles([{ level: 0, index: Number(index / WIDTH), width: at + 1 }]));
  return hashAt(bytes, at);
};

const nameOf = ({ level, index }: Tile): string => `tile ${index} of level ${level}`;

/**
 * Puts the hashes of the tiles beside the rows of a page, and compares each full tile with its hash in the tile above it.
 * Which of row and tile is wrong where they differ is not for here.
 */
export const makeSealRows = (readTiles: ReadTiles<never>, onFault: OnLogFault) => {
  const read = async (tiles: ReadonlyArray<Tile>): Promise<ReadonlyArray<Buffer | undefined>> =>
    orThrow(await readTiles(tiles));

  const checkParent = async (tile: Tile, bytes: Buffer, parentBytes: Buffer | undefined): Promise<void> => {
    const parent = parentOf(tile);
    const first = tile.index * TILE_WIDTH ** (tile.level + 1);
    const hash = hashAt(parentBytes, parent.width - 1);
    if (hash === undefined) {
      onFault({ kind: 'tile-missing', index: first, reason: `${nameOf(parent)} is missing, or ends too early` });
      return;
    }
    if (!hash.equals(perfectRoot(splitHashes(bytes.subarray(0, TILE_WIDTH * HASH_BYTES))))) {
      const reason = `${nameOf(parent)} was changed: its hash number ${parent.width - 1} is not that of ${nameOf(tile)}`;
      onFault({ kind: 'tile-changed', index: first, reason });
      return;
    }
    if (parent.width < TILE_WIDTH || parentBytes === undefined) return;
    const [above] = await read([parentOf(parent)]);
    await checkParent(parent, parentBytes, above);
  };

  return async (rows: ReadonlyArray<StoredRow>): Promise<ReadonlyArray<SealedRow>> => {
    if (rows.length === 0) return [];
    const tiles = tilesOf(rows);
    const full = tiles.filter(({ width }) => width === TILE_WIDTH);
    const bytes = await read([...tiles, ...full.map(parentOf)]);
    const bytesOf = new Map(tiles.map(({ index }, at) => [index, bytes[at]]));
    const misfits = new Set<number>();
    const sealed = rows.map((row): SealedRow => {
      const tile = tileOf(row);
      const hash = hashAt(bytesOf.get(tile), placeIn(row));
      const own = leafHash(row.leaf);
      if (hash?.equals(own) !== true) misfits.add(tile);
      return { index: row.index, leaf: row.leaf, texts: row.texts, leafHash: own, sealed: hash };
    });
    for (const [at, tile] of tiles.entries()) {
      const held = bytes[at];
      if (held === undefined || held.length < tile.width * HASH_BYTES) {
        const begins = tile.index * TILE_WIDTH;
        onFault({ kind: 'tile-missing', index: begins, reason: `${nameOf(tile)} is missing, or ends too early` });
      } else if (tile.width === TILE_WIDTH && !misfits.has(tile.index)) {
        await checkParent(tile, held, bytes[tiles.length + full.indexOf(tile)]);
      }
    }
    return sealed;
  };
};
