import { either as E } from 'fp-ts';
import type { RunStatement } from '../../../src/postgres/statement.js';
import { leafHash } from '../../../src/seal/hash.js';
import { appendLeaves, emptyEdge, readEdge, type TreeEdge } from '../../../src/seal/tree-edge.js';
import { type Generation, tableOf } from '../generation/generation.js';
import { makeReadTiles, tileArrays, upsertTiles } from './tiles.js';

const LEAVES_AT_ONCE = 10_000;

/** Ends before the first index that has no row: leaves behind it would not be at the indexes of their rows. */
const writeTilesAnew = async (run: RunStatement, generation: Pick<Generation, 'name'>): Promise<TreeEdge> => {
  const table = tableOf(generation);
  let edge = emptyEdge;
  for (;;) {
    const rows = await run({
      name: `leaves of ${generation.name}`,
      text: `select idx, encode(leaf, 'hex') from ${table} where idx >= $1::bigint order by idx limit ${LEAVES_AT_ONCE}`,
      values: [String(edge.size)],
    });
    const { size } = edge;
    const gap = rows.findIndex(([index], at) => index !== String(size + at));
    const inOrder = gap === -1 ? rows : rows.slice(0, gap);
    if (inOrder.length === 0) return edge;
    const appended = appendLeaves(
      edge,
      inOrder.map(([, leaf]) => leafHash(Buffer.from(leaf ?? '', 'hex'))),
    );
    const values = [generation.name, ...tileArrays(appended.tiles)];
    await run({ name: 'write tiles', text: upsertTiles(1, '(select) source'), values });
    edge = appended.edge;
  }
};

/**
 * Where the tree of a ledger goes on that has `size` rows. Tiles that somebody removed are made anew from the rows: to go
 * on is right, because nobody signs a tree that does not begin as the signed ones do, or is smaller than its ledger. The
 * tree of a ledger with a gap is. The verification names the rows, and `ops projections rebuild ledger` makes both anew.
 */
export const readTreeEdge = async (
  run: RunStatement,
  generation: Pick<Generation, 'name'>,
  size: number,
): Promise<TreeEdge> => {
  const edge = await readEdge(size, makeReadTiles(run, { generation: generation.name }));
  return E.isRight(edge) ? edge.right : writeTilesAnew(run, generation);
};
