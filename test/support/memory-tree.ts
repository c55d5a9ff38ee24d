import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { leafHash } from '../../src/seal/hash.js';
import { appendLeaves, edgeRoot, emptyEdge } from '../../src/seal/tree-edge.js';
import type { LockTree } from '../../src/sealing/lock-tree.js';

/** A tree of a ledger in memory, whose leaves a test may replace, and the checkpoints that were recorded of it. */
export const makeMemoryTree = () => {
  const state = {
    leaves: [] as ReadonlyArray<string>,
    recorded: [] as Array<SignedCheckpoint>,
    isAway: false,
    swallows: false,
  };
  const treeOf = (leaves: ReadonlyArray<string>) =>
    appendLeaves(
      emptyEdge,
      leaves.map((leaf) => leafHash(Buffer.from(leaf))),
    );
  const lockTree: LockTree = (work) => {
    if (state.isAway) return Promise.reject(new Error('the database is away'));
    const { leaves, recorded } = state;
    const { tiles } = treeOf(leaves);
    return work({
      size: leaves.length,
      readTiles: (wanted) =>
        Promise.resolve(
          E.right(
            wanted.map(
              ({ level, index }) => tiles.find((tile) => tile.level === level && tile.index === index)?.hashes,
            ),
          ),
        ),
      largestOf: (origin) =>
        Promise.resolve(recorded.filter((one) => one.origin === origin).toSorted((a, b) => b.size - a.size)[0]),
      record: (checkpoint) => {
        if (!state.swallows) recorded.push(checkpoint);
        return Promise.resolve();
      },
    });
  };
  return { state, lockTree, rootOf: (leaves: ReadonlyArray<string>) => edgeRoot(treeOf(leaves).edge) };
};
