import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import type { Random } from '../random.js';
import { KeyTree } from './key-tree.js';

/** What a state of the tree is bound to: put in the place of another one, it does not open. */
type TreeState = {
  /** Names the tree for ever; the log says it where the encryption began. */
  readonly tree: string;
  /** Greater with each change. */
  readonly version: number;
};

/** A state of the tree as it is stored. */
export type StoredTree = TreeState & { readonly wrapped: Buffer };

/** With these a wrapped tree begins: random bytes, others each time that a tree is wrapped. */
export const IV_BYTES = 12;
const TAG_BYTES = 16;

const keyOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const boundTo = ({ tree, version }: TreeState): Buffer => Buffer.from(`key tree\n${tree}\n${version}`);

/** The tree as it may be stored: under AES-256-GCM, by the SHA-256 of a secret. */
export const wrapTree = (tree: KeyTree, secret: string, state: TreeState, random: Random): Buffer => {
  const iv = random.bytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv).setAAD(boundTo(state));
  return Buffer.concat([iv, cipher.update(tree.toBytes()), cipher.final(), cipher.getAuthTag()]);
};

const unwrapBy = (wrapped: Buffer, secret: string, state: TreeState): KeyTree | undefined => {
  const end = wrapped.length - TAG_BYTES;
  if (end < IV_BYTES) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), wrapped.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(boundTo(state)).setAuthTag(wrapped.subarray(end));
  try {
    return KeyTree.fromBytes(Buffer.concat([decipher.update(wrapped.subarray(IV_BYTES, end)), decipher.final()]));
  } catch {
    return undefined;
  }
};

/** The tree that one of these secrets opens; undefined where none does. */
export const unwrapTree = (wrapped: Buffer, secrets: ReadonlyArray<string>, state: TreeState): KeyTree | undefined => {
  for (const secret of secrets) {
    const tree = unwrapBy(wrapped, secret, state);
    if (tree !== undefined) return tree;
  }
  return undefined;
};
