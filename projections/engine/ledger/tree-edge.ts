import { either as E } from 'fp-ts';
import { leafHash } from '../../../src/seal/hash.js';
import { appendLeaves, emptyEdge, readEdge, type TreeEdge } from '../../../src/seal/tree-edge.js';
import type { LedgerRows } from '../storage.js';

const LEAVES_AT_ONCE = 10_000;

/** Ends before the first index that has no row: leaves behind it would not be at the indexes of their rows. */
const writeTilesAnew = async (stored: LedgerRows): Promise<TreeEdge> => {
  let edge = emptyEdge;
  for (;;) {
    const { size } = edge;
    const rows = await stored.leaves(BigInt(size), LEAVES_AT_ONCE);
    const gap = rows.findIndex(({ index }, at) => index !== BigInt(size + at));
    const inOrder = gap === -1 ? rows : rows.slice(0, gap);
    if (inOrder.length === 0) return edge;
    const appended = appendLeaves(
      edge,
      inOrder.map(({ leaf }) => leafHash(leaf)),
    );
    await stored.writeTiles(appended.tiles);
    edge = appended.edge;
  }
};

/**
 * Where the tree of a ledger goes on that has `size` rows. Tiles that somebody removed are made anew from the rows: to go
 * on is right, because nobody signs a tree that does not begin as the signed ones do, or is smaller than its ledger. The
 * tree of a ledger with a gap is. The verification names the rows, and `ops projections rebuild ledger` makes both anew.
 */
export const readTreeEdge = async (stored: LedgerRows, size: number): Promise<TreeEdge> => {
  const edge = await readEdge(size, stored.readTiles);
  return E.isRight(edge) ? edge.right : writeTilesAnew(stored);
};
