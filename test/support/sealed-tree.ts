import { createHash } from 'node:crypto';
import { either as E } from 'fp-ts';
import { type Hash, leafHash } from '../../src/seal/hash.js';
import type { ReadTiles } from '../../src/seal/read-tiles.js';
import type { Tile } from '../../src/seal/tile.js';
import { appendLeaves, edgeRoot, emptyEdge, type TreeEdge } from '../../src/seal/tree-edge.js';

/** The value of a result that must be one. */
export const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(`no value: ${JSON.stringify(result.left)}`);
  return result.right;
};

/** 32 bytes for each index, others for each seed. test/seal/go makes the same. */
export const leafDataOf = (seed: string, index: number): Buffer =>
  createHash('sha256').update(`${seed}/${index}`).digest();

export type SealedTree = {
  readonly edge: TreeEdge;
  readonly root: Hash;
  /** The leaf hashes. */
  readonly leaves: ReadonlyArray<Hash>;
  readonly tiles: ReadonlyMap<string, Buffer>;
  readonly read: ReadTiles<never>;
  /** What was read, a list for each call. */
  readonly reads: ReadonlyArray<ReadonlyArray<Tile>>;
};

export const keyOf = ({ level, index }: Pick<Tile, 'level' | 'index'>): string => `${level}/${index}`;

/** A tree over these leaf hashes, appended so many at a time, with its newest tiles in memory. */
export const treeOver = (leaves: ReadonlyArray<Hash>, batch = 5_000): SealedTree => {
  const tiles = new Map<string, Buffer>();
  let edge = emptyEdge;
  for (let at = 0; at < leaves.length; at += batch) {
    const appended = appendLeaves(edge, leaves.slice(at, at + batch));
    for (const tile of appended.tiles) tiles.set(keyOf(tile), tile.hashes);
    ({ edge } = appended);
  }
  const reads: Array<ReadonlyArray<Tile>> = [];
  const read: ReadTiles<never> = (wanted) => {
    reads.push(wanted);
    return Promise.resolve(E.right(wanted.map((tile) => tiles.get(keyOf(tile)))));
  };
  return { edge, root: edgeRoot(edge), leaves, tiles, read, reads };
};

/** A tree of this size over the leaves of a seed. */
export const treeOf = (seed: string, size: number, batch?: number): SealedTree =>
  treeOver(
    Array.from({ length: size }, (_, index) => leafHash(leafDataOf(seed, index))),
    batch,
  );

/** These bytes with one bit changed. */
export const flipBit = (bytes: Uint8Array, bit: number): Buffer => {
  const changed = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % changed.length;
  changed[at] = changed[at]! ^ (1 << (bit % 8));
  return changed;
};
