import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../event-sourcing/bounded-cache.js';
import type { LogFault } from '../event-sourcing/whole-log/log-fault.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { openCheckpoint } from '../seal/checkpoint.js';
import type { Hash } from '../seal/hash.js';
import type { Verifier } from '../seal/note-key.js';

/** A checkpoint whose signature was verified, and who keeps it. */
export type KeptCheckpoint = {
  readonly origin: string;
  readonly size: number;
  readonly root: Hash;
  /** As it ends a sentence: `in Postgres`. */
  readonly where: string;
};

/** The key by which checkpoints of an origin are known; undefined where there is none. */
export type FindVerifier = (origin: string) => Verifier | undefined;

/** Origins whose keys are remembered. Whoever can write into database or storage names any number of them. */
const REMEMBERED = 100;

/** Makes the key of an origin once for all of its checkpoints: that takes longer than to verify one. */
export const rememberVerifiers = (findVerifier: FindVerifier): FindVerifier => {
  const known = makeBoundedCache<string, { readonly verifier: Verifier | undefined }>(REMEMBERED);
  return (origin) => {
    const remembered = known.get(origin);
    if (remembered !== undefined) return remembered.verifier;
    const verifier = findVerifier(origin);
    known.set(origin, { verifier });
    return verifier;
  };
};

export const describeKept = ({ size, origin, where }: Pick<KeptCheckpoint, 'size' | 'origin' | 'where'>): string =>
  `the checkpoint of ${size} events of ${origin}, kept ${where},`;

/** Opens a checkpoint that is kept somewhere; left: what is wrong with it. */
export const openKept = (
  { origin, size, note }: SignedCheckpoint,
  where: string,
  findVerifier: FindVerifier,
): E.Either<LogFault, KeptCheckpoint> => {
  const what = describeKept({ origin, size, where });
  const verifier = findVerifier(origin);
  const opened = openCheckpoint(Buffer.from(note), verifier === undefined ? [] : [verifier]);
  if (E.isLeft(opened)) {
    const isUnknown = opened.left === 'no known key has signed the note';
    return E.left(
      isUnknown
        ? { kind: 'checkpoint-unknown-key', reason: `${what} was signed by no key of this service` }
        : { kind: 'checkpoint-invalid', reason: `${what} is not valid: ${opened.left}` },
    );
  }
  if (opened.right.size !== size || opened.right.origin !== origin)
    return E.left({
      kind: 'checkpoint-invalid',
      reason: `${what} is filed under a size or origin that it does not have`,
    });
  return E.right({ origin, size, root: opened.right.root, where });
};
