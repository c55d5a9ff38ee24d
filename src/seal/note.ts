import { either as E } from 'fp-ts';
import { fromBase64 } from './base64.js';
import { isKeyName, type Signer, type Verifier } from './note-key.js';
import { fromUtf8 } from './text.js';

// Signed notes, https://c2sp.org/signed-note: a text, an empty line, and a line for each signature.

const CONTROL = /[\0-\x09\x0b-\x1f]/; // eslint-disable-line no-control-regex -- those may not stand in a note
const BEFORE_SIGNATURES = '\n\n';
const DASH = '— ';
const ID_BYTES = 4;
const MOST_SIGNATURES = 100;

const signatureLine = (text: string, { verifier: { name, id }, sign }: Signer): string => {
  const signature = Buffer.concat([Buffer.from(id, 'hex'), sign(Buffer.from(text))]);
  return `${DASH}${name} ${signature.toString('base64')}\n`;
};

/** Signs a text, every line of which ends, the last one too; with one line for each signer, in their order. */
export const signNote = (text: string, ...signers: ReadonlyArray<Signer>): E.Either<string, string> =>
  !text.endsWith('\n') || CONTROL.test(text) || /\p{Surrogate}/u.test(text)
    ? E.left('the text of a note ends with the end of a line and has no control characters')
    : E.right(`${text}\n${signers.map((signer) => signatureLine(text, signer)).join('')}`);

type Signature = { readonly name: string; readonly id: string; readonly signature: Buffer };

const parseSignature = (line: string): Signature | undefined => {
  const [dash, name, encoded, ...more] = line.split(' ');
  const bytes = fromBase64(encoded ?? '');
  if (`${dash} ` !== DASH || name === undefined || !isKeyName(name) || more.length > 0) return undefined;
  if (bytes === undefined || bytes.length <= ID_BYTES) return undefined;
  return { name, id: bytes.toString('hex', 0, ID_BYTES), signature: bytes.subarray(ID_BYTES) };
};

/** A text with the known keys that have signed it. */
type OpenedNote = { readonly text: string; readonly signers: ReadonlyArray<Verifier> };

type Unverified = { readonly text: string; readonly signatures: ReadonlyArray<Signature> };

const parse = (note: Uint8Array): E.Either<string, Unverified> => {
  const whole = fromUtf8(note);
  if (whole === undefined) return E.left('the note is not UTF-8');
  if (CONTROL.test(whole)) return E.left('the note has a control character');
  const end = whole.lastIndexOf(BEFORE_SIGNATURES);
  if (end < 0) return E.left('the note has no empty line before its signatures');
  const lines = whole.slice(end + BEFORE_SIGNATURES.length).split('\n');
  if (lines.pop() !== '' || lines.length === 0) return E.left('the note does not end with a line that signs it');
  if (lines.length > MOST_SIGNATURES) return E.left(`the note has more than ${MOST_SIGNATURES} signatures`);
  const signatures = lines.map(parseSignature).filter((signature) => signature !== undefined);
  if (signatures.length < lines.length) return E.left('a line after the text of the note is no signature');
  return E.right({ text: whole.slice(0, end + 1), signatures });
};

/** What has the form of a note, in its parts, which are not yet to be believed. */
export const unverifiedNote = (note: Uint8Array): E.Either<string, Unverified> => parse(note);

/** The text of what has the form of a note; its signatures are not looked at. */
export const unverifiedText = (note: Uint8Array): E.Either<string, string> =>
  E.map(({ text }: Unverified) => text)(parse(note));

/**
 * Opens a note that at least one of the known keys has signed. Signatures by other keys are ignored. One by a known key
 * that does not verify makes the whole note invalid.
 */
export const openNote = (note: Uint8Array, known: ReadonlyArray<Verifier>): E.Either<string, OpenedNote> => {
  const parsed = parse(note);
  if (E.isLeft(parsed)) return parsed;
  const { text, signatures } = parsed.right;
  const signers = new Set<Verifier>();
  for (const { name, id, signature } of signatures)
    for (const verifier of known.filter((key) => key.name === name && key.id === id)) {
      if (!verifier.verifies(Buffer.from(text), signature))
        return E.left(`the signature of ${name}+${id} does not fit the text of the note`);
      signers.add(verifier);
    }
  return signers.size === 0 ? E.left('no known key has signed the note') : E.right({ text, signers: [...signers] });
};
