import { either as E } from 'fp-ts';
import { hashFromBase64 } from './base64.js';
import type { Hash } from './hash.js';
import { openNote, signNote, unverifiedText } from './note.js';
import type { Signer, Verifier } from './note-key.js';
import { fromDecimal } from './text.js';

/** What is said of a tree: https://c2sp.org/tlog-checkpoint. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Hash };

const renderCheckpoint = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${root.toString('base64')}\n`;

/** The text of a checkpoint, which is not yet to be believed: its signature is not looked at. */
export const parseCheckpoint = (text: string): E.Either<string, Checkpoint> => {
  const [origin = '', decimal = '', encoded = '', ...rest] = text.split('\n');
  // it may have more lines, of which its own log knows what they mean; ours writes none
  if (rest.length !== 1 || rest[0] !== '') return E.left('the checkpoint has not exactly three lines');
  if (origin === '') return E.left('the checkpoint has no origin');
  const size = fromDecimal(decimal);
  if (size === undefined) return E.left('the size in the checkpoint is not a whole number');
  const root = hashFromBase64(encoded);
  if (root === undefined) return E.left('the root in the checkpoint is not 32 bytes in base64');
  return E.right({ origin, size, root });
};

/** The signed note of a checkpoint. Its origin is the name of the key. */
export const signCheckpoint = (
  { size, root }: Pick<Checkpoint, 'size' | 'root'>,
  signer: Signer,
): E.Either<string, string> => signNote(renderCheckpoint({ origin: signer.verifier.name, size, root }), signer);

/** The checkpoint of a note, which is not yet to be believed: anybody may have signed it. */
export const readCheckpoint = (note: Uint8Array): E.Either<string, Checkpoint> =>
  E.chain(parseCheckpoint)(unverifiedText(note));

/** A checkpoint with those of the known keys that have signed it. */
type SignedBy = { readonly checkpoint: Checkpoint; readonly signers: ReadonlyArray<Verifier> };

/** The checkpoint of a note that one of these keys has signed, which has the checkpoint's origin for its name. */
export const openSigned = (note: Uint8Array, known: ReadonlyArray<Verifier>): E.Either<string, SignedBy> => {
  const opened = openNote(note, known);
  if (E.isLeft(opened)) return opened;
  const checkpoint = parseCheckpoint(opened.right.text);
  if (E.isLeft(checkpoint)) return checkpoint;
  const signers = opened.right.signers.filter(({ name }) => name === checkpoint.right.origin);
  return signers.length > 0
    ? E.right({ checkpoint: checkpoint.right, signers })
    : E.left('the checkpoint has another origin than the key that signed it');
};

/** As `openSigned`, without who of them signed it. */
export const openCheckpoint = (note: Uint8Array, known: ReadonlyArray<Verifier>): E.Either<string, Checkpoint> =>
  E.map(({ checkpoint }: SignedBy) => checkpoint)(openSigned(note, known));
