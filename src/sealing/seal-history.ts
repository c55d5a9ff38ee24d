import { either as E, type readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { canonicalJson } from '../event-sourcing/canonical-json.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { readSealDecisions } from '../event-sourcing/operators/read-decisions.js';
import type { StoredEvent } from '../event-sourcing/recorded-event.js';
import { renamedSigner, renamedVerifier, renderVerifier, type Signer, type Verifier } from '../seal/note-key.js';
import { type KeyChange, keyChangeIn } from './key-change.js';
import type { FindKeys, KnownKey } from './kept-checkpoint.js';
import { type Restart, restartIn, type ToldRestart } from './restart.js';

/** What operators have decided about origin and key of the checkpoints of a log, as far as it counts. */
export type SealHistory = {
  /** The origin in force, and the key in force under its name. */
  readonly origin: string;
  readonly key: Verifier;
  /** The oldest first. */
  readonly restarts: ReadonlyArray<Restart>;
  readonly keyChanges: ReadonlyArray<KeyChange>;
  /** Every key under the name of each origin that it signed as, the oldest first. */
  readonly keys: ReadonlyArray<KnownKey>;
  /** Events that say that they are a restart or a change of the key, and that the keys of the checkpoints have not signed. */
  readonly unsigned: ReadonlyArray<StoredEvent>;
};

type Decision = { readonly event: StoredEvent; readonly told?: ToldRestart; readonly change?: KeyChange };

const readDecisions = async (store: Pick<EventStore, 'readStream'>): Promise<ReadonlyArray<Decision>> => {
  const decisions: Array<Decision> = [];
  for await (const event of readSealDecisions(store, 'SealRestarted', 'CheckpointKeyReplaced')) {
    const [told, change] = [restartIn(event), keyChangeIn(event)];
    decisions.push({ event, ...(told && { told }), ...(change && { change }) });
  }
  return decisions;
};

const isSameKey = (one: Verifier, other: Verifier): boolean => one.publicKey.equals(other.publicKey);

/**
 * Origin and key before all decisions: those that lead to a key, each of which it, or a key before it, has signed. What that key
 * has signed after it was replaced leads nowhere: somebody may have found it out.
 */
const beginningOf = (decisions: ReadonlyArray<Decision>, own: Verifier): { origin: string; key: Verifier } => {
  let [origin, key] = [own.name, own];
  const end = decisions.findIndex(({ change }) => change !== undefined && isSameKey(change.replaced, own));
  for (const { told, change } of decisions.slice(0, end < 0 ? undefined : end).toReversed())
    if (change !== undefined && isSameKey(change.key, key)) key = change.replaced;
    else if (told?.restart.origin === origin && told.isBy(key)) origin = told.restart.replaced;
  return { origin, key: renamedVerifier(key, origin) ?? key };
};

/** Whether a change replaces the key in force, by one that was not in force before. */
const continues = ({ replaced, key }: KeyChange, inForce: Verifier, before: ReadonlyArray<KnownKey>): boolean =>
  replaced.id === inForce.id && !before.some(({ verifier }) => isSameKey(verifier, key));

/**
 * How checkpoints of a log came to be signed as they are, to who trusts one of its keys. A restart counts when the key in force
 * has signed it and it replaces the origin in force; a change of the key when the key in force and the new one have signed it.
 * So whoever can write into the database, also with the key of the events, can begin no other origin and bring in no other key.
 * Throws `StoreUnavailable`.
 */
export const findSealHistory = async (store: Pick<EventStore, 'readStream'>, own: Verifier): Promise<SealHistory> => {
  const decisions = await readDecisions(store);
  let { origin, key } = beginningOf(decisions, own);
  const [restarts, keyChanges, keys]: [Array<Restart>, Array<KeyChange>, Array<KnownKey>] = [[], [], []];
  const unsigned: Array<StoredEvent> = [];
  const signed = new Set<string>();
  for (const decision of decisions) {
    const { event, told, change } = decision;
    const said = told && canonicalJson(told.restart);
    // one that was recorded again, in the tree, is that of its time; what only a key of before has signed since is not
    const isSigned = said !== undefined && (signed.has(said) || told?.isBy(key) === true);
    if (isSigned) signed.add(said);
    if (told?.restart.replaced === origin && told.isBy(key)) {
      keys.push({ verifier: key });
      restarts.push(told.restart);
      ({ origin } = told.restart);
      // whoever signs as an origin has made sure that it can be the name of a key
      key = renamedVerifier(key, origin) ?? key;
    } else if (change !== undefined && continues(change, key, keys)) {
      keys.push({ verifier: key, last: change.last });
      keyChanges.push(change);
      ({ key } = change);
    } else if (!isSigned) unsigned.push(event);
  }
  keys.push({ verifier: key });
  return { origin, key, restarts, keyChanges, keys, unsigned };
};

/**
 * The keys by which the checkpoints of an origin are known. Those of an origin that the log does not know may be of any of its
 * keys: of a copy of it, say, or of another `CHECKPOINT_ORIGIN`.
 */
export const keysOf =
  ({ keys }: Pick<SealHistory, 'keys'>): FindKeys =>
  (origin) => {
    const own = keys.filter(({ verifier }) => verifier.name === origin);
    if (own.length > 0) return own;
    return keys.flatMap(({ verifier }) => renamedVerifier(verifier, origin) ?? []).map((verifier) => ({ verifier }));
  };

/** The changes of the key under the origin in force: by them, whoever has one of its keys knows the others. */
export const changesInForce = ({ origin, keyChanges }: SealHistory): ReadonlyArray<KeyChange> =>
  keyChanges.filter(({ last }) => last.origin === origin);

/** Who signs checkpoints now, and how that came to be. */
export type SealInForce = { readonly signer: Signer; readonly history: SealHistory };

/**
 * The secret among those of this process that signs as the log says. The first one is in force unless the log says that it was
 * replaced. Left: none of them is the key in force. Throws `StoreUnavailable`.
 */
export const sealInForce = async (
  [first, ...others]: RNEA.ReadonlyNonEmptyArray<Signer>,
  store: Pick<EventStore, 'readStream'>,
): Promise<E.Either<Error, SealInForce>> => {
  const history = await findSealHistory(store, first.verifier);
  const { origin, key } = history;
  const found = [first, ...others].find(({ verifier }) => isSameKey(verifier, key));
  if (found === undefined)
    return E.left(
      new Error(
        `the key of the checkpoints was replaced, and CHECKPOINT_KEY does not have the one that signs now: ${renderVerifier(key)}`,
      ),
    );
  return E.bimap(Error, (signer: Signer) => ({ signer, history }))(renamedSigner(found, origin));
};
