import { either as E, type readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type { EventKey } from '../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { Signer } from '../seal/note-key.js';
import { type KeyChange, recordKeyChange } from './key-change.js';
import { openKnown } from './kept-checkpoint.js';
import type { LockedTree, LockTree } from './lock-tree.js';
import { keysOf, type SealHistory, sealInForce } from './seal-history.js';
import { compareTree, type SealFault } from './sign-tree.js';

type Replacing = {
  readonly runtime: Runtime;
  /** The key in force, and the one that is to replace it. */
  readonly signers: RNEA.ReadonlyNonEmptyArray<Signer>;
  /** Why, by whom, and when (RFC 3339). */
  readonly because: Pick<KeyChange, 'reason' | 'actor' | 'at'>;
  /** The largest checkpoint of an origin that is kept elsewhere. */
  readonly findLargest: (origin: string) => Promise<SignedCheckpoint | undefined>;
  readonly eventKey: EventKey | undefined;
};

/** Why no key is replaced: a sentence, a fault of the tree, or what the log says. */
export type NotReplaced =
  | { readonly _tag: 'NoKeys'; readonly reason: string }
  | { readonly _tag: 'Fault'; readonly fault: SealFault }
  | AppendRejected
  | StoreUnavailable;

const noKeys = (reason: string): E.Either<NotReplaced, never> => E.left({ _tag: 'NoKeys', reason });

/** The one key of this process that was never in force. */
const findNew = (
  { keys, key }: SealHistory,
  signers: RNEA.ReadonlyNonEmptyArray<Signer>,
): E.Either<NotReplaced, Signer> => {
  const isKnown = ({ verifier: { publicKey } }: Signer): boolean =>
    keys.some(({ verifier }) => verifier.publicKey.equals(publicKey));
  const [found, ...more] = signers.filter((signer) => !isKnown(signer));
  if (found !== undefined && more.length === 0) return E.right(found);
  return noKeys(
    more.length > 0
      ? 'CHECKPOINT_KEY has several keys that were never in force: leave one of them there'
      : `CHECKPOINT_KEY has no key that could replace the one in force: put a new one (ops log new-key ${key.name}) on a line behind it`,
  );
};

const replaceLocked = async (
  tree: LockedTree,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { runtime, signers, because, findLargest, eventKey }: Replacing,
): Promise<E.Either<NotReplaced, KeyChange>> => {
  const seal = await sealInForce(signers, store);
  if (E.isLeft(seal)) return noKeys(seal.left.message);
  const { signer, history } = seal.right;
  const { origin } = history;
  const compared = await compareTree(tree, history, await findLargest(origin));
  if (E.isLeft(compared)) return E.left({ _tag: 'Fault', fault: compared.left });
  const next = findNew(history, signers);
  if (E.isLeft(next)) return next;
  const [largest] = compared.right.known.toSorted((one, other) => other.size - one.size);
  const last = largest === undefined ? undefined : openKnown(Buffer.from(largest.note), keysOf(history)(origin));
  if (last === undefined || E.isLeft(last))
    return noKeys(`nothing was signed as ${origin} yet: let CHECKPOINT_KEY have the new key alone`);
  return recordKeyChange(runtime, store, { by: signer, with: next.right, last: last.right, ...because }, eventKey);
};

/**
 * Records in the log that the new key among `signers` replaces the one in force, while nobody signs: what the old key has sealed until
 * then stays, and it seals nothing more. Left, and nothing recorded, also where the tree does not extend its checkpoints; undefined
 * while there is no tree. Throws what log and database throw.
 */
export const replaceKey = (
  lockTree: LockTree,
  store: Pick<EventStore, 'readStream' | 'append'>,
  replacing: Replacing,
): Promise<E.Either<NotReplaced, KeyChange> | undefined> => lockTree((tree) => replaceLocked(tree, store, replacing));
