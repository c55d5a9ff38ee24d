import { createHash } from 'node:crypto';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import { signCheckpoint } from '../../src/seal/checkpoint.js';
import { type Signer, signerOf } from '../../src/seal/note-key.js';
import { right } from './sealed-tree.js';

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();

/** A signer with this name, always the same for the same secret. */
export const signerNamed = (name: string, secret = 'a key'): Signer => right(signerOf(name, sha256(secret)));

/** A checkpoint of a tree that there is not. */
export const checkpointOf = (origin: string, size: number, secret?: string): SignedCheckpoint => ({
  origin,
  size,
  note: right(signCheckpoint({ size, root: sha256(String(size)) }, signerNamed(origin, secret))),
});
