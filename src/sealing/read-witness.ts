import { either as E } from 'fp-ts';
import { parseTlogProof } from '../seal/tlog-proof.js';
import type { Witness } from './checkpoint-check.js';
import { type FindKeys, type KnownKey, openKnown } from './kept-checkpoint.js';

const PROOF = 'c2sp.org/tlog-proof';

/** The origins that checkpoints of a note may have: the names of those who signed it. */
const signersOf = (note: string): ReadonlyArray<string> =>
  [...note.matchAll(/^— (\S+) /gm)].map(([, name = '']) => name);

const knownFor = (note: string, findKeys: FindKeys): ReadonlyArray<KnownKey> =>
  [...new Set(signersOf(note))].flatMap(findKeys);

/**
 * What an auditor kept at home, from the bytes of its file: a signed checkpoint, or a proof with one in it. `where` ends a
 * sentence: `in kept.txt`. Left: why it says nothing.
 */
export const readWitness = (bytes: Uint8Array, where: string, findKeys: FindKeys): E.Either<string, Witness> => {
  const isProof = Buffer.from(bytes.subarray(0, PROOF.length)).toString() === PROOF;
  const proof = isProof ? parseTlogProof(bytes) : undefined;
  if (proof !== undefined && E.isLeft(proof)) return proof;
  const note = proof === undefined ? Buffer.from(bytes) : Buffer.from(proof.right.checkpoint);
  const opened = openKnown(note, knownFor(note.toString(), findKeys));
  if (E.isLeft(opened)) return opened;
  const { origin, size, root } = opened.right;
  const witness = { origin, size, root, where };
  if (proof === undefined) return E.right(witness);
  const { index, hashes } = proof.right;
  return E.right({ ...witness, proof: { index, hashes } });
};
