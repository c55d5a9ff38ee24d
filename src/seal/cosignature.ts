import { verify } from 'node:crypto';
import { either as E } from 'fp-ts';
import { ed25519Key, parseKey } from './note-key.js';
import { unverifiedNote } from './note.js';

// Cosignatures of witnesses, https://c2sp.org/tlog-cosignature: signatures of a note that have a time.

/** Who cosigns checkpoints: the Ed25519 key of a witness. */
export type Cosigner = {
  readonly name: string;
  /** Of the name and the public key: 8 digits of lower-case hex. */
  readonly id: string;
  /** 32 bytes, as in RFC 8032. */
  readonly publicKey: Buffer;
  /** When it cosigned the text of a note, in seconds since 1970; undefined: the signature does not fit. */
  readonly timeOf: (text: string, signature: Buffer) => number | undefined;
};

/** A witness has seen a checkpoint, and that it extends all that it saw before, at this time by its clock (seconds since 1970). */
type Cosignature = { readonly cosigner: Cosigner; readonly time: number };

/** The signature type. */
const COSIGNATURE_V1 = 4;

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** What is signed: https://c2sp.org/tlog-cosignature, "Ed25519 signed message". */
export const cosignedText = (time: number, text: string): string => `cosignature/v1\ntime ${time}\n${text}`;

/** The key of a witness from its text, a verifier key of the type for cosignatures. Left: what is wrong with it. */
export const parseCosigner = (text: string): E.Either<string, Cosigner> => {
  const parsed = parseKey(text, 'key of a witness', COSIGNATURE_V1);
  if (E.isLeft(parsed)) return parsed;
  const { name, id, key: publicKey } = parsed.right;
  const key = ed25519Key(publicKey);
  return E.right({
    name,
    id,
    publicKey,
    timeOf: (signed, signature) => {
      if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
      const time = Number(signature.readBigUInt64BE());
      // a later time is none that a clock shows, and no number that is exact
      if (!Number.isSafeInteger(time)) return undefined;
      const message = Buffer.from(cosignedText(time, signed));
      return verify(null, message, key, signature.subarray(TIME_BYTES)) ? time : undefined;
    },
  });
};

/**
 * The cosignatures of a note by these witnesses, each witness once. Signatures by others are ignored. Left: one by a key
 * of theirs does not fit.
 */
export const cosignaturesOf = (
  note: Uint8Array,
  cosigners: ReadonlyArray<Cosigner>,
): E.Either<string, ReadonlyArray<Cosignature>> => {
  const parsed = unverifiedNote(note);
  if (E.isLeft(parsed)) return parsed;
  const { text, signatures } = parsed.right;
  const found = new Map<Cosigner, Cosignature>();
  for (const { name, id, signature } of signatures)
    for (const cosigner of cosigners.filter((key) => key.name === name && key.id === id)) {
      const time = cosigner.timeOf(text, signature);
      if (time === undefined) return E.left(`the cosignature of ${name}+${id} does not fit the text of the note`);
      if (!found.has(cosigner)) found.set(cosigner, { cosigner, time });
    }
  return E.right([...found.values()]);
};
