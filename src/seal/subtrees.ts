import type { Node } from './tile.js';

/** Whether this can be an index or a size: a double carries it exactly. */
export const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

/** The leaves from `from` to before `to`. */
export type Span = { readonly from: number; readonly to: number };

/** A subtree whose root is hashed with what was computed so far, and the side on which it stands. */
export type Sibling = Span & { readonly side: 'left' | 'right' };

/** Where RFC 6962 parts a subtree: after the largest power of two leaves that is less than all of them. */
const middle = ({ from, to }: Span): number => {
  let half = 1;
  while (2 * half < to - from) half *= 2;
  return from + half;
};

/** The perfect subtrees that a span of the tree consists of, from left to right; it begins where RFC 6962 parts one. */
export const nodesOf = ({ from, to }: Span): ReadonlyArray<Node> => {
  if (from === to) return [];
  let height = 0;
  while (2 ** (height + 1) <= to - from) height += 1;
  const leaves = 2 ** height;
  return [{ height, index: from / leaves }, ...nodesOf({ from: from + leaves, to })];
};

/** The inclusion proof of a leaf, PATH(m, D[n]) of RFC 6962, 2.1.1: from the leaf's sibling up. */
export const inclusionPath = (index: number, { from, to }: Span): ReadonlyArray<Sibling> => {
  if (to - from === 1) return [];
  const half = middle({ from, to });
  return index < half
    ? [...inclusionPath(index, { from, to: half }), { side: 'right', from: half, to }]
    : [...inclusionPath(index, { from: half, to }), { side: 'left', from, to: half }];
};

/**
 * The consistency proof, PROOF(m, D[n]) of RFC 6962, 2.1.2: `start` is the largest subtree that both trees end their old
 * part with, and is left out of the proof where it is the whole old tree. A sibling on the right is in the new tree only.
 */
export const consistencyPath = (
  oldSize: number,
  { from, to }: Span,
): { readonly start: Span; readonly siblings: ReadonlyArray<Sibling> } => {
  if (to === oldSize) return { start: { from, to }, siblings: [] };
  const half = middle({ from, to });
  const isLeft = oldSize <= half;
  const { start, siblings } = consistencyPath(oldSize, isLeft ? { from, to: half } : { from: half, to });
  const sibling: Sibling = isLeft ? { side: 'right', from: half, to } : { side: 'left', from, to: half };
  return { start, siblings: [...siblings, sibling] };
};
