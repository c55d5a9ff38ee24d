import { readonlyArray as RA } from 'fp-ts';
import { EMPTY_ROOT, type Hash, nodeHash } from './hash.js';
import { consistencyPath, inclusionPath, isCount, type Sibling } from './subtrees.js';

const join = ({ side }: Sibling, sibling: Hash, root: Hash): Hash =>
  side === 'left' ? nodeHash(sibling, root) : nodeHash(root, sibling);

/** A tree of some size, as a checkpoint states it. */
type TreeHead = { readonly size: number; readonly root: Hash };

/** Whether the proof shows that the leaf with this leaf hash is at `index` of the tree (RFC 6962, 2.1.1). */
export const verifyInclusion = (
  leaf: Hash,
  index: number,
  { size, root }: TreeHead,
  proof: ReadonlyArray<Hash>,
): boolean => {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  const path = inclusionPath(index, { from: 0, to: size });
  if (path.length !== proof.length) return false;
  return RA.zip(path, proof)
    .reduce((hash, [sibling, other]) => join(sibling, other, hash), leaf)
    .equals(root);
};

/**
 * Whether the proof shows that the tree begins with all leaves of the old one, in their order (RFC 6962, 2.1.2). Every
 * tree extends the empty one, by the empty proof.
 */
export const verifyConsistency = (old: TreeHead, { size, root }: TreeHead, proof: ReadonlyArray<Hash>): boolean => {
  if (!isCount(old.size) || !isCount(size) || old.size > size) return false;
  if (old.size === 0) return proof.length === 0 && old.root.equals(EMPTY_ROOT);
  const { start, siblings } = consistencyPath(old.size, { from: 0, to: size });
  const [first, ...others] = start.from === 0 ? [old.root, ...proof] : proof;
  if (first === undefined || others.length !== siblings.length) return false;
  let oldHash = first;
  let newHash = first;
  for (const [sibling, hash] of RA.zip(siblings, others)) {
    if (sibling.side === 'left') oldHash = nodeHash(hash, oldHash);
    newHash = join(sibling, hash, newHash);
  }
  return oldHash.equals(old.root) && newHash.equals(root);
};
