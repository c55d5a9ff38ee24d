import { HASH_BYTES } from './hash.js';

/** Most hashes of a tile. */
export const TILE_WIDTH = 256;
/** So many levels of the tree a tile spans. */
export const TILE_HEIGHT = 8;

/**
 * A tile of C2SP tlog-tiles (https://c2sp.org/tlog-tiles): the first `width` of its 256 hashes. Those of level 0 are the
 * hashes of leaves; those of a level above are each the root of a full tile of the level below.
 */
export type Tile = { readonly level: number; readonly index: number; readonly width: number };

/** How many hashes a level of tiles has in a tree of this size. */
const hashesAt = (level: number, size: number): number => Math.floor(size / TILE_WIDTH ** level);

/** How many hashes that tile has in a tree of this size: 256 in a full one, 0 where it has none. */
export const tileWidth = (level: number, index: number, size: number): number =>
  Math.max(0, Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH));

/** Index of the tile that the next hash of this level goes into. */
export const nextTileIndex = (level: number, size: number): number => Math.floor(hashesAt(level, size) / TILE_WIDTH);

/** The tiles of a tree of this size that are not full, from level 0 up. They are all that one needs to append to it. */
export const partialTiles = (size: number): ReadonlyArray<Tile> => {
  const tiles: Array<Tile> = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const index = nextTileIndex(level, size);
    const width = tileWidth(level, index, size);
    if (width > 0) tiles.push({ level, index, width });
  }
  return tiles;
};

/** A perfect subtree: the `index`-th of those with 2^`height` leaves. */
export type Node = { readonly height: number; readonly index: number };

/** Where in the tiles of a tree of this size a node is: the root over `count` hashes from `start` on. */
export const placeOf = (
  { height, index }: Node,
  size: number,
): { readonly tile: Tile; readonly start: number; readonly count: number } => {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  const tile = Math.floor(first / TILE_WIDTH);
  return { tile: { level, index: tile, width: tileWidth(level, tile, size) }, start: first % TILE_WIDTH, count };
};

/** The hashes of a tile from bytes that hold at least as many. */
export const hashesIn = (bytes: Buffer, start: number, count: number): Buffer =>
  bytes.subarray(start * HASH_BYTES, (start + count) * HASH_BYTES);
