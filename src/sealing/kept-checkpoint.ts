import { either as E } from 'fp-ts';
import { makeBoundedCache } from '../event-sourcing/bounded-cache.js';
import type { LogFault } from '../event-sourcing/whole-log/log-fault.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { type Checkpoint, openSigned } from '../seal/checkpoint.js';
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

/** A key by which checkpoints are known. */
export type KnownKey = {
  readonly verifier: Verifier;
  /** Of one that was replaced: its largest checkpoint. It has sealed nothing beyond. */
  readonly last?: Pick<Checkpoint, 'size' | 'root'>;
};

/** The keys by which checkpoints of an origin are known. */
export type FindKeys = (origin: string) => ReadonlyArray<KnownKey>;

/** Origins whose keys are remembered. Whoever can write into database or storage names any number of them. */
const REMEMBERED = 100;

/** Makes the keys of an origin once for all of its checkpoints: that takes longer than to verify one. */
export const rememberKeys = (findKeys: FindKeys): FindKeys => {
  const known = makeBoundedCache<string, ReadonlyArray<KnownKey>>(REMEMBERED);
  return (origin) => {
    const remembered = known.get(origin);
    if (remembered !== undefined) return remembered;
    const keys = findKeys(origin);
    known.set(origin, keys);
    return keys;
  };
};

const isBefore = ({ size, root }: Checkpoint, last: KnownKey['last']): boolean =>
  last === undefined || size < last.size || (size === last.size && root.equals(last.root));

/** Opens a checkpoint that one of these keys has signed, and not after it was replaced. */
export const openKnown = (note: Uint8Array, keys: ReadonlyArray<KnownKey>): E.Either<string, Checkpoint> => {
  const verifiers = keys.map(({ verifier }) => verifier);
  const opened = openSigned(note, verifiers);
  if (E.isLeft(opened)) return opened;
  const { checkpoint, signers } = opened.right;
  const lasts = keys.filter(({ verifier }) => signers.includes(verifier)).map(({ last }) => last);
  return lasts.some((last) => isBefore(checkpoint, last))
    ? E.right(checkpoint)
    : E.left(`its key was replaced after ${lasts[0]?.size} events, and it is not of the log of these`);
};

export const describeKept = ({ size, origin, where }: Pick<KeptCheckpoint, 'size' | 'origin' | 'where'>): string =>
  `the checkpoint of ${size} events of ${origin}, kept ${where},`;

/** Opens a checkpoint that is kept somewhere; left: what is wrong with it. */
export const openKept = (
  { origin, size, note }: SignedCheckpoint,
  where: string,
  findKeys: FindKeys,
): E.Either<LogFault, KeptCheckpoint> => {
  const what = describeKept({ origin, size, where });
  const opened = openKnown(Buffer.from(note), findKeys(origin));
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
