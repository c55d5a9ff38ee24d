import { hash as digest } from 'node:crypto';

/** A SHA-256: 32 bytes, which nobody changes. */
export type Hash = Buffer;

export const HASH_BYTES = 32;

// Text, and its bytes after that: Node 20 takes twice the time to give the bytes of a digest.
const sha256 = (bytes: Uint8Array): Hash => Buffer.from(digest('sha256', bytes, 'binary'), 'latin1');

/** Root of the tree without leaves. */
export const EMPTY_ROOT = sha256(Buffer.alloc(0));

const LEAF = Buffer.of(0);
const leaf = Buffer.alloc(1 + HASH_BYTES, LEAF);

/** Hash of a leaf (RFC 6962, 2.1): SHA-256(0x00 ‖ data). */
export const leafHash = (data: Uint8Array): Hash => {
  if (data.length !== HASH_BYTES) return sha256(Buffer.concat([LEAF, data]));
  leaf.set(data, 1);
  return sha256(leaf);
};

const node = Buffer.alloc(1 + 2 * HASH_BYTES, 1);

/** Hash of an inner node (RFC 6962, 2.1): SHA-256(0x01 ‖ left ‖ right). */
export const nodeHash = (left: Hash, right: Hash): Hash => {
  left.copy(node, 1);
  right.copy(node, 1 + HASH_BYTES);
  return sha256(node);
};

/** The hashes that follow each other in these bytes. */
export const splitHashes = (bytes: Buffer): ReadonlyArray<Hash> =>
  Array.from({ length: bytes.length / HASH_BYTES }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));

/** Root of the subtree over these hashes, the number of which is a power of two. */
export const perfectRoot = (hashes: ReadonlyArray<Hash>): Hash => {
  const [only, ...others] = hashes;
  if (only !== undefined && others.length === 0) return only;
  const half = hashes.length / 2;
  return nodeHash(perfectRoot(hashes.slice(0, half)), perfectRoot(hashes.slice(half)));
};
