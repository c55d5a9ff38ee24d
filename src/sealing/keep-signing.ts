import { either as E } from 'fp-ts';
import type { Clock } from '../event-sourcing/clock.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import { renderVerifier, type Verifier } from '../seal/note-key.js';
import type { CheckpointArchive } from './checkpoint-archive.js';
import type { LockTree } from './lock-tree.js';
import type { SealInForce } from './seal-history.js';
import { type SealFault, signTree } from './sign-tree.js';

/** How often at most a checkpoint is signed, one is put into the storage, and a tree that must not be signed is compared again, ms. */
const INTERVALS = { sign: 1_000, archive: 60_000, again: 5_000 };

export type SigningEvent =
  | { readonly _tag: 'Signed' | 'Archived'; readonly checkpoint: SignedCheckpoint }
  /** The seal was restarted: checkpoints have another origin from now on. */
  | { readonly _tag: 'Restarted'; readonly origin: string; readonly replaced: string }
  /** Another key signs the checkpoints of the origin from now on; both as verifier keys. */
  | { readonly _tag: 'KeyReplaced'; readonly key: string; readonly replaced: string }
  /** Reported once, and again when it is another one. */
  | { readonly _tag: 'Fault'; readonly fault: SealFault }
  | { readonly _tag: 'FaultOver'; readonly fault: SealFault }
  /** Reported once, until something is signed again. */
  | { readonly _tag: 'Postponed'; readonly cause: unknown };

type SigningDeps = {
  readonly clock: Clock;
  readonly lockTree: LockTree;
  readonly archive: CheckpointArchive;
  /** Who signs, and as what, as the log says. Rejects with what the log throws, and where this process must not sign. */
  readonly findSeal: () => Promise<SealInForce>;
  /** Whether this process keeps the live tree: nobody else signs it then. */
  readonly isKeeper: () => boolean;
  /** Another value when the tree may have grown. */
  readonly reached: () => unknown;
  /** Whether the tree has every event of the log; resolves soon. */
  readonly isComplete: () => Promise<boolean>;
  readonly onEvent: (event: SigningEvent) => void;
  /** What is put into the storage for a checkpoint, when nothing is urgent: with cosignatures. Without it: the checkpoint. */
  readonly toArchive?: (checkpoint: SignedCheckpoint) => SignedCheckpoint | undefined;
};

type Signing = {
  /** Why the tree must not be signed; undefined: it may be. */
  readonly fault: () => SealFault | undefined;
  /** Signs what there is, and puts the last checkpoint into the storage. */
  readonly stop: () => Promise<void>;
};

const largest = (
  one: SignedCheckpoint | undefined,
  other: SignedCheckpoint | undefined,
): SignedCheckpoint | undefined => ((one?.size ?? -1) > (other?.size ?? -1) ? one : other);

/** The storage did not answer, so that nobody knows what was signed before. */
const STORAGE_SILENT = new Error('the file storage, which is to be asked what was signed before, does not answer');

/**
 * Signs the tree while this process keeps it: when it has grown, at most once a second, and nothing while the storage
 * cannot be asked. A tree that does not extend the largest known checkpoint is a fault: it is reported, and compared again
 * until somebody has restored the log or restarted the seal. Goes on after every failure.
 */
export const keepSigning = (deps: SigningDeps): Signing => {
  const { clock, lockTree, archive, findSeal, isKeeper, reached, isComplete, onEvent, toArchive } = deps;
  const stopping = new AbortController();
  let seal: SealInForce | undefined;
  let fault: SealFault | undefined;
  let isPostponed = false;
  let newest: SignedCheckpoint | undefined;
  /** The largest checkpoint in the storage, as far as this process knows, and when it asked last. */
  let archived: SignedCheckpoint | undefined;
  let askedAt = -Infinity;
  /** When this process put one into the storage last. */
  let putAt = -Infinity;
  let signedAtReach: unknown;

  const orThrow = <A>(result: E.Either<{ readonly cause: unknown }, A>): A => {
    if (E.isLeft(result)) throw result.left.cause;
    return result.right;
  };

  const tell = (key: Verifier, before: Verifier | undefined): void => {
    if (before === undefined || before.id === key.id) return;
    if (before.name !== key.name) onEvent({ _tag: 'Restarted', origin: key.name, replaced: before.name });
    else onEvent({ _tag: 'KeyReplaced', key: renderVerifier(key), replaced: renderVerifier(before) });
  };

  /** Asks the log what is in force, and the storage, too, when it was not asked lately. Gives the origin. */
  const refresh = async (): Promise<string> => {
    if (!(await archive.isThere())) throw STORAGE_SILENT;
    const before = seal?.signer.verifier;
    seal = await findSeal();
    const { verifier } = seal.signer;
    const { name } = verifier;
    tell(verifier, before);
    if (name === before?.name && fault === undefined && clock.monotonic() - askedAt < INTERVALS.archive) return name;
    if (name !== before?.name) [archived, newest] = [undefined, undefined];
    archived = orThrow(await archive.largestOf(name, archived?.size ?? -1)) ?? archived;
    askedAt = clock.monotonic();
    return name;
  };

  const setFault = (found: SealFault | undefined): void => {
    const before = fault;
    fault = found;
    if (found === undefined && before !== undefined) onEvent({ _tag: 'FaultOver', fault: before });
    const isNew = found?._tag !== before?._tag || found?.signed !== before?.signed;
    if (found !== undefined && isNew) onEvent({ _tag: 'Fault', fault: found });
  };

  const sign = async (): Promise<void> => {
    const current = reached();
    if (current === signedAtReach && fault === undefined) return;
    const origin = await refresh();
    const signNow = () => signTree(lockTree, findSeal, { origin, largest: largest(archived, newest) });
    let signed = await signNow();
    if (E.isLeft(signed) && signed.left._tag === 'Shorter') {
      // one that is still being built is not taken for one that was cut
      if (!(await isComplete())) return;
      signed = await signNow();
    }
    if (E.isLeft(signed)) {
      setFault(signed.left);
      return;
    }
    setFault(undefined);
    signedAtReach = current;
    const checkpoint = signed.right;
    if (checkpoint === undefined || checkpoint.size === newest?.size) return;
    newest = checkpoint;
    onEvent({ _tag: 'Signed', checkpoint });
  };

  /** Also of a tree that must not be signed any more: where the log has lost events, its database has lost the checkpoint. */
  const putNewest = async (isUrgent: boolean): Promise<void> => {
    if (newest === undefined) return;
    const witnessed = toArchive === undefined ? newest : toArchive(newest);
    const checkpoint = isUrgent && witnessed?.size !== newest.size ? newest : witnessed;
    if (checkpoint === undefined || checkpoint.size <= (archived?.size ?? 0)) return;
    orThrow(await archive.put(checkpoint));
    [archived, putAt] = [checkpoint, clock.monotonic()];
    onEvent({ _tag: 'Archived', checkpoint });
  };

  /** Runs what must not end the loop. */
  const attempted = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      isPostponed = false;
    } catch (cause) {
      if (!isPostponed) onEvent({ _tag: 'Postponed', cause });
      isPostponed = true;
    }
  };

  const run = async (): Promise<void> => {
    while (await clock.sleep(fault === undefined ? INTERVALS.sign : INTERVALS.again, stopping.signal)) {
      if (!isKeeper()) {
        // whoever keeps the tree now says what is wrong with it
        fault = undefined;
        continue;
      }
      await attempted(async () => {
        await sign();
        if (fault !== undefined || clock.monotonic() - putAt >= INTERVALS.archive) await putNewest(fault !== undefined);
      });
    }
  };
  const running = run();

  return {
    fault: () => fault,
    stop: async () => {
      stopping.abort();
      await running;
      if (!isKeeper()) return;
      await attempted(async () => {
        await isComplete();
        await sign();
        await putNewest(true);
      });
    },
  };
};
