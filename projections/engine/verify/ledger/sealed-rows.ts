import { orThrow } from '../../../../src/event-sourcing/attempt.js';
import type { OnLogFault } from '../../../../src/event-sourcing/whole-log/log-fault.js';
import { HASH_BYTES, type Hash, leafHash, perfectRoot, splitHashes } from '../../../../src/seal/hash.js';
import type { ReadTiles } from '../../../../src/seal/read-tiles.js';
import { TILE_WIDTH, type Tile } from '../../../../src/seal/tile.js';
import type { StoredRow } from './ledger-source.js';

/** A row, and what the tiles hold of it. */
export type SealedRow = StoredRow & {
  readonly leafHash: Hash;
  /** The leaf hash that stands in the tile at its index; undefined where there is none. */
  readonly sealed: Hash | undefined;
};

/** The places of a span of rows in the tiles of one level. */
const tilesOver = (first: number, last: number): ReadonlyArray<Tile> => {
  const tiles: Array<Tile> = [];
  for (let index = Math.floor(first / TILE_WIDTH); index * TILE_WIDTH <= last; index += 1)
    tiles.push({ level: 0, index, width: Math.min(TILE_WIDTH, last + 1 - index * TILE_WIDTH) });
  return tiles;
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
  const at = Number(index % BigInt(TILE_WIDTH));
  const [bytes] = orThrow(await readTiles([{ level: 0, index: Number(index / BigInt(TILE_WIDTH)), width: at + 1 }]));
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
    const [first, last] = [rows[0], rows.at(-1)];
    if (first === undefined || last === undefined) return [];
    const tiles = tilesOver(Number(first.index), Number(last.index));
    const full = tiles.filter(({ width }) => width === TILE_WIDTH);
    const bytes = await read([...tiles, ...full.map(parentOf)]);
    const misfits = new Set<number>();
    const sealed = rows.map((row): SealedRow => {
      const index = Number(row.index);
      const tile = Math.floor(index / TILE_WIDTH);
      const hash = hashAt(bytes[tile - (tiles[0]?.index ?? 0)], index % TILE_WIDTH);
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
