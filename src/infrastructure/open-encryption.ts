import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { attempt, orThrow } from '../event-sourcing/attempt.js';
import { type Clock, repeat } from '../event-sourcing/clock.js';
import type { Encryption, EncryptionRules } from '../event-sourcing/encryption/encryption.js';
import { findEncryptionBegun, recordEncryptionBegun } from '../event-sourcing/encryption/encryption-begun.js';
import type { KeyState } from '../event-sourcing/encryption/key-state.js';
import { type KeyPath, KeyTree, MAX_KEY_TREE_BYTES } from '../event-sourcing/encryption/key-tree.js';
import { type StoredTree, unwrapTree, wrapTree } from '../event-sourcing/encryption/wrapped-tree.js';
import { type EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import { type CannotOpen, cannotOpen } from './cannot-open.js';
import { sharedErasureKeys, sharedEventKeys } from './event-keys.js';

/** How often a process asks whether keys were destroyed, ms. */
const REFRESH_MS = 5_000;
/** It opens nothing by keys for longer, unless the database does not answer: an erasure waits longer. */
export const KNOWN_MS = 9_000;
/** How long a read waits for that answer, ms. */
const ANSWER_MS = 1_000;

const NOT_SET =
  'the data of this log is encrypted, and ERASURE is not true: set ERASURE and ERASURE_KEY as where it was written';
const MISSING =
  'the keys of this log are missing in the database of the read models: without them every record looks erased. ' +
  'Put back that database, or its schema "erasure", from a backup';
const OF_ANOTHER = 'the keys in the database of the read models are those of another log';
const DO_NOT_OPEN = 'no line of ERASURE_KEY opens the keys of this log';

type OpenEncryption = {
  readonly runtime: Runtime;
  readonly config: Pick<Config, 'erasure' | 'erasureKeys' | 'eventKeys' | 'databaseUrl' | 'dataDir'>;
  /** The log as it is stored. */
  readonly store: Pick<EventStore, 'readStream' | 'append'>;
  /** Where the keys are, which is closed with what is opened here. */
  readonly openState: () => KeyState;
  readonly rules: EncryptionRules;
  /**
   * What is done where the encryption has not begun: a service begins it, an import begins it and says so when the log is filled
   * (`sayBegun`), other commands do not.
   */
  readonly begins: 'now' | 'when it is filled' | 'not here';
};

type OpenedEncryption = {
  /** Undefined where the log is not encrypted. */
  readonly encryption: Encryption | undefined;
  readonly keyControl: KeyControl | undefined;
  readonly close: () => Promise<void>;
};

/** What an erasure does to the keys. */
export type KeyControl = {
  /**
   * Destroys the keys at these places; no other process that reaches the database opens anything by them after `KNOWN_MS`.
   * Throws errors of the database.
   */
  readonly destroy: (places: ReadonlyArray<KeyPath>) => Promise<void>;
  /** Keeps the keys under the first line of ERASURE_KEY. */
  readonly rewrap: () => Promise<void>;
  /** Says in the log that it is encrypted by these keys. Throws what the log throws. */
  readonly sayBegun: () => Promise<void>;
  /** The keys as they are stored now, for a backup. Throws errors of the database. */
  readonly stored: () => Promise<StoredTree | undefined>;
};

const NONE: OpenedEncryption = { encryption: undefined, keyControl: undefined, close: () => Promise.resolve() };

class KeysUnusable extends Error {}

/** The keys as this process knows them: what it knows to be destroyed stays so, whatever is put back. */
class Keys {
  #name = '';
  #tree: KeyTree | undefined;
  /** As the database had them when this process looked last, and whether it could open them. */
  #stored: StoredTree | undefined;
  #isOpen = false;
  /** When the database was asked last, and has answered or did not. */
  #asked: number;
  #asking: Promise<void> | undefined;
  readonly #secrets: ReadonlyArray<string>;
  readonly #state: KeyState;
  readonly #clock: Clock;

  /** Before the stored keys are read that it is to take. */
  constructor(secrets: ReadonlyArray<string>, state: KeyState, clock: Clock) {
    this.#secrets = secrets;
    this.#state = state;
    this.#clock = clock;
    this.#asked = clock.monotonic();
  }

  /** Throws `StoreUnavailable` where they were replaced by such as this process cannot open. */
  readonly current = (): KeyTree => {
    if (this.#tree === undefined || !this.#isOpen) throw new StoreUnavailable(DO_NOT_OPEN);
    return this.#tree;
  };

  /** What the tree is called. */
  get name(): string {
    return this.#name;
  }

  take(stored: StoredTree): boolean {
    const isAnother = this.#tree !== undefined && this.#name !== stored.tree;
    const opened = isAnother ? undefined : unwrapTree(stored.wrapped, this.#secrets, stored);
    this.#stored = stored;
    this.#isOpen = opened !== undefined;
    if (opened === undefined) return false;
    this.#name = stored.tree;
    this.#tree = this.#tree?.and(opened) ?? opened;
    return true;
  }

  /** Replaces the stored keys by what `change` makes of them. */
  async replace({ random }: Runtime, change: (tree: KeyTree) => KeyTree): Promise<void> {
    const [secret] = this.#secrets;
    if (secret === undefined) throw new KeysUnusable('ERASURE_KEY is not set');
    await this.#state.replace((stored) => {
      const tree = unwrapTree(stored.wrapped, this.#secrets, stored);
      if (tree === undefined) throw new KeysUnusable(DO_NOT_OPEN);
      const changed = change(tree);
      if (changed.toBytes().length > MAX_KEY_TREE_BYTES)
        throw new KeysUnusable('so much was erased that its keys would take more than 64 MiB');
      const next = { tree: stored.tree, version: stored.version + 1 };
      return { ...next, wrapped: wrapTree(changed, secret, next, random) };
    });
    await this.refresh();
  }

  /** Learns what was destroyed by others since. While the database is away, the keys stay as they are. */
  readonly refresh = async (): Promise<void> => {
    const asked = this.#clock.monotonic();
    const other = this.#stored && (await this.#state.readOther(this.#stored).catch(() => undefined));
    if (other !== undefined) this.take(other);
    this.#asked = Math.max(this.#asked, asked);
  };

  /** Has what was destroyed `KNOWN_MS` ago known before it resolves: also where the process has slept. */
  readonly refreshed = async (): Promise<void> => {
    const isKnown = (): boolean => this.#clock.monotonic() - this.#asked <= KNOWN_MS;
    if (isKnown()) return;
    this.#asking ??= this.refresh().finally(() => {
      this.#asking = undefined;
    });
    const answered = new AbortController();
    await Promise.race([this.#asking, this.#clock.sleep(ANSWER_MS, answered.signal)]);
    answered.abort();
    // not for each read anew
    if (!isKnown()) this.#asked = this.#clock.monotonic();
  };
}

const firstTree = ({ random }: Runtime, [secret]: ReadonlyArray<string>): StoredTree => {
  if (secret === undefined) throw new KeysUnusable('ERASURE_KEY is not set');
  const state = { tree: random.uuid(), version: 1 };
  return { ...state, wrapped: wrapTree(KeyTree.grow(random), secret, state, random) };
};

const record = async ({ runtime, config, store }: OpenEncryption, tree: string): Promise<void> => {
  const eventKeys = orThrow(await sharedEventKeys(runtime.random, config));
  const recorded = await recordEncryptionBegun(runtime, store, tree, eventKeys);
  if (E.isLeft(recorded))
    throw new KeysUnusable('that the data is encrypted cannot be recorded', { cause: recorded.left });
};

/** The stored keys, made where the encryption begins here; undefined where it has not begun. */
const findKeys = async (
  options: OpenEncryption,
  state: KeyState,
  secrets: ReadonlyArray<string>,
): Promise<StoredTree | undefined> => {
  const { runtime, config, store, begins } = options;
  const known = await state.read();
  if (begins === 'when it is filled') return known ?? state.storeFirst(firstTree(runtime, secrets));
  const begun = await findEncryptionBegun(store, orThrow(await sharedEventKeys(runtime.random, config)));
  if (known === undefined && begun !== undefined) throw new KeysUnusable(MISSING);
  if (known === undefined && begins === 'not here') return undefined;
  const stored = known ?? (await state.storeFirst(firstTree(runtime, secrets)));
  if (begun === undefined && begins === 'now') await record(options, stored.tree);
  if (begun !== undefined && begun !== stored.tree) throw new KeysUnusable(OF_ANOTHER);
  return stored;
};

const openKeys = async (options: OpenEncryption, state: KeyState): Promise<Keys | undefined> => {
  const { runtime, config } = options;
  const secrets = orThrow(await sharedErasureKeys(runtime.random, config));
  const keys = new Keys(secrets, state, runtime.clock);
  const stored = await findKeys(options, state, secrets);
  if (stored === undefined) return undefined;
  if (!keys.take(stored)) throw new KeysUnusable(DO_NOT_OPEN);
  return keys;
};

/**
 * The keys of a log whose data is encrypted, kept up to date until `close`; none where it is not encrypted. Left where it
 * is, and this process has not its keys: without them every record would look erased.
 */
export const openEncryption = async (options: OpenEncryption): Promise<E.Either<CannotOpen, OpenedEncryption>> => {
  const { runtime, config, store, openState, rules } = options;
  const failed = (cause: unknown): CannotOpen =>
    cause instanceof KeysUnusable
      ? cannotOpen(cause)
      : cannotOpen({ message: 'the keys of the log cannot be read', cause });
  if (!config.erasure) {
    const keys = await sharedEventKeys(runtime.random, config);
    if (E.isLeft(keys)) return E.left(failed(keys.left));
    const begun = await attempt(() => findEncryptionBegun(store, keys.right), failed);
    // a log that is away now says it later, by data that cannot be decoded
    return E.isRight(begun) && begun.right !== undefined
      ? E.left({ _tag: 'CannotOpen', message: NOT_SET })
      : E.right(NONE);
  }
  const state = openState();
  const opened = await attempt(() => openKeys(options, state), failed);
  if (E.isLeft(opened) || opened.right === undefined) {
    await state.close();
    return E.isLeft(opened) ? opened : E.right(NONE);
  }
  const keys = opened.right;
  const closing = new AbortController();
  const refreshing = repeat(runtime.clock, REFRESH_MS, closing.signal, keys.refresh);
  const close = async (): Promise<void> => {
    closing.abort();
    await refreshing;
    await state.close();
  };
  const keyControl: KeyControl = {
    destroy: (places) => keys.replace(runtime, (tree) => tree.without(places)),
    rewrap: () => keys.replace(runtime, (tree) => tree),
    sayBegun: () => record(options, keys.name),
    stored: state.read,
  };
  const { current, refreshed, refresh } = keys;
  const encryption = { rules, keys: current, refreshed, refresh, random: runtime.random };
  return E.right({ encryption, keyControl, close });
};
