import { either as E } from 'fp-ts';
import { EMPTY_ROOT, HASH_BYTES, type Hash, nodeHash, perfectRoot, splitHashes } from './hash.js';
import { type ReadTiles, readWholeTiles, type TileIncomplete } from './read-tiles.js';
import { hashesIn, nextTileIndex, partialTiles, TILE_HEIGHT, TILE_WIDTH } from './tile.js';

const NO_HASHES: Buffer = Buffer.alloc(0);

/** The right edge of a tree: all that one needs to append to it and to tell its root. */
export type TreeEdge = {
  readonly size: number;
  /** By level: the hashes of the last tile while it is not full; none where it is. */
  readonly tiles: ReadonlyArray<Buffer>;
  /** By height: the root of the perfect subtree of 2^height leaves that ends there, where the size has that bit. */
  readonly peaks: ReadonlyArray<Hash | undefined>;
};

export const emptyEdge: TreeEdge = { size: 0, tiles: [], peaks: [] };

/** The root of the tree (RFC 6962, 2.1). */
export const edgeRoot = ({ peaks }: TreeEdge): Hash =>
  peaks.reduce<Hash | undefined>((root, peak) => {
    if (peak === undefined) return root;
    return root === undefined ? peak : nodeHash(peak, root);
  }, undefined) ?? EMPTY_ROOT;

/** The peaks that the hashes of one partial tile hold, by their height in the tile. */
const peaksIn = (bytes: Buffer): ReadonlyArray<Hash | undefined> => {
  const width = bytes.length / HASH_BYTES;
  return Array.from({ length: TILE_HEIGHT }, (_, height) => {
    const count = 2 ** height;
    const start = Math.floor(width / (2 * count)) * 2 * count;
    return (width & count) === 0 ? undefined : perfectRoot(splitHashes(hashesIn(bytes, start, count)));
  });
};

/**
 * The right edge of the tree of this size, from its partial tiles. It is as good as they are: who keeps a root of this
 * size elsewhere compares it with `edgeRoot`.
 */
export const readEdge = async <Failure>(
  size: number,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | TileIncomplete, TreeEdge>> => {
  const partial = partialTiles(size);
  const read = await readWholeTiles(partial, readTiles);
  if (E.isLeft(read)) return read;
  const tiles = Array.from({ length: 1 + Math.max(-1, ...partial.map(({ level }) => level)) }, () => NO_HASHES);
  for (const [at, { level }] of partial.entries()) tiles[level] = read.right[at] ?? NO_HASHES;
  return E.right({ size, tiles, peaks: tiles.flatMap(peaksIn) });
};

/** A tile that has grown, with all of its hashes. */
type ChangedTile = { readonly level: number; readonly index: number; readonly hashes: Buffer };

/** The tiles of one level that these hashes, which follow `before`, fill or begin. */
const fill = (level: number, size: number, before: Buffer, fresh: ReadonlyArray<Hash>): ReadonlyArray<ChangedTile> => {
  const bytes = Buffer.concat([before, ...fresh]);
  const first = nextTileIndex(level, size);
  return Array.from({ length: Math.ceil(bytes.length / (TILE_WIDTH * HASH_BYTES)) }, (_, at) => ({
    level,
    index: first + at,
    hashes: hashesIn(bytes, at * TILE_WIDTH, TILE_WIDTH),
  }));
};

const isFull = ({ hashes }: ChangedTile): boolean => hashes.length === TILE_WIDTH * HASH_BYTES;

export type Appended = { readonly edge: TreeEdge; readonly tiles: ReadonlyArray<ChangedTile> };

/**
 * Appends leaves, given as their leaf hashes: the new edge, and every tile that has changed, to be written over the tile
 * of the same place. Takes one hash for each leaf, and none of the tiles that are full already.
 */
export const appendLeaves = (edge: TreeEdge, leaves: ReadonlyArray<Hash>): Appended => {
  if (leaves.length === 0) return { edge, tiles: [] };
  const peaks = [...edge.peaks];
  const fresh = [[...leaves]];
  let { size } = edge;
  for (const leaf of leaves) {
    let root = leaf;
    let height = 0;
    // like a carry through the ones at the end of the size
    for (let peak = peaks[0]; peak !== undefined; peak = peaks[height]) {
      root = nodeHash(peak, root);
      peaks[height] = undefined;
      height += 1;
      if (height % TILE_HEIGHT === 0) (fresh[height / TILE_HEIGHT] ??= []).push(root);
    }
    peaks[height] = root;
    size += 1;
  }
  const changed = fresh.map((hashes, level) => fill(level, edge.size, edge.tiles[level] ?? NO_HASHES, hashes));
  const tiles = Array.from({ length: Math.max(edge.tiles.length, changed.length) }, (_, level) => {
    const last = changed[level]?.at(-1);
    if (last === undefined) return edge.tiles[level] ?? NO_HASHES;
    return isFull(last) ? NO_HASHES : last.hashes;
  });
  return { edge: { size, tiles, peaks }, tiles: changed.flat() };
};
