import { either as E } from 'fp-ts';
import { EMPTY_ROOT, type Hash, nodeHash, perfectRoot, splitHashes } from './hash.js';
import { type ReadTiles, readWholeTiles, type TileIncomplete } from './read-tiles.js';
import { consistencyPath, inclusionPath, isCount, nodesOf, type Span } from './subtrees.js';
import { hashesIn, placeOf, type Tile } from './tile.js';

/** There is no such leaf or no such earlier tree. */
type NotInTree = { readonly _tag: 'NotInTree'; readonly index: number; readonly size: number };

type ProofFailure = TileIncomplete | NotInTree;

const keyOf = ({ level, index }: Tile): string => `${level}/${index}`;

/** The roots of these spans in a tree of this size, from one reading of the tiles that they lie in. */
const spanRoots = async <Failure>(
  spans: ReadonlyArray<Span>,
  size: number,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | TileIncomplete, ReadonlyArray<Hash>>> => {
  const places = spans.map((span) => nodesOf(span).map((node) => placeOf(node, size)));
  const tiles = new Map(places.flat().map(({ tile }) => [keyOf(tile), tile]));
  const read = await readWholeTiles([...tiles.values()], readTiles);
  if (E.isLeft(read)) return read;
  const bytes = new Map([...tiles.keys()].map((key, at) => [key, read.right[at] ?? Buffer.alloc(0)]));
  const roots = places.map((nodes) =>
    nodes
      .map(({ tile, start, count }) =>
        perfectRoot(splitHashes(hashesIn(bytes.get(keyOf(tile)) ?? Buffer.alloc(0), start, count))),
      )
      .reduceRight((root, node) => nodeHash(node, root)),
  );
  return E.right(roots);
};

/** The root of the first `size` leaves (RFC 6962, 2.1). */
export const treeRoot = async <Failure>(
  size: number,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | TileIncomplete, Hash>> => {
  if (size === 0) return E.right(EMPTY_ROOT);
  const roots = await spanRoots([{ from: 0, to: size }], size, readTiles);
  return E.map(([root = EMPTY_ROOT]: ReadonlyArray<Hash>) => root)(roots);
};

/**
 * Proof that a leaf is in the tree of this size (RFC 6962, 2.1.1). Reads at most two tiles of each level, in one call. A
 * tile that was tampered with gives a proof that does not verify; whoever hands one out verifies it before.
 */
export const proveInclusion = async <Failure>(
  index: number,
  size: number,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | ProofFailure, ReadonlyArray<Hash>>> =>
  isCount(index) && isCount(size) && index < size
    ? spanRoots(inclusionPath(index, { from: 0, to: size }), size, readTiles)
    : E.left({ _tag: 'NotInTree', index, size });

/**
 * Proof that the tree of this size begins with all leaves of the tree of `oldSize`, in their order (RFC 6962, 2.1.2). It
 * is empty where the old tree is, and where both are the same.
 */
export const proveConsistency = async <Failure>(
  oldSize: number,
  size: number,
  readTiles: ReadTiles<Failure>,
): Promise<E.Either<Failure | ProofFailure, ReadonlyArray<Hash>>> => {
  if (!isCount(oldSize) || !isCount(size) || oldSize > size) return E.left({ _tag: 'NotInTree', index: oldSize, size });
  if (oldSize === 0) return E.right([]);
  const { start, siblings } = consistencyPath(oldSize, { from: 0, to: size });
  return spanRoots(start.from === 0 ? siblings : [start, ...siblings], size, readTiles);
};
