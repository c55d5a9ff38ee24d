import { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { type ByteString, textOf } from '../byte-string.js';
import { rejection } from '../append-limits.js';
import {
  type AppendRejected,
  type ByStream,
  type EventStore,
  type LogBatch,
  StoreUnavailable,
} from '../event-store.js';
import type { Random } from '../random.js';
import {
  type ExpectedRevision,
  nextRevision,
  type NewEvent,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '../recorded-event.js';
import { type EventBytes, StreamPage } from '../stream-page.js';
import type { LogTarget } from '../whole-log/log-target.js';
import { encrypted, ERASED_DATA, isEncrypted, opened, SALT_MEMBER_BYTES, type Secret, withSalt } from './at-rest.js';
import { type KeyPath, keyPath, type KeyTree } from './key-tree.js';
import { type Lately, makeLately } from './lately.js';

/** Which events are encrypted, and by which key. */
export type EncryptionRules = {
  readonly isSecret: (stream: StreamName, type: string) => boolean;
  /** Whether an event of this type is about another person than its record: then it has a key of its own. */
  readonly hasOwnKey: (type: string) => boolean;
};

export type Encryption = {
  readonly rules: EncryptionRules;
  /** The keys as they are now: after each erasure another tree. */
  readonly keys: () => KeyTree;
  /**
   * Resolves when this process has asked, some seconds ago at most, which keys others have destroyed, or could not. Nothing is
   * opened before. Without it others destroy none.
   */
  readonly refreshed?: () => Promise<void>;
  readonly random: Random;
};

type Place = { readonly stream: StreamName; readonly revision: Revision; readonly type: string };

/** The place of the key of an event. */
export const keyPathOf = ({ hasOwnKey }: EncryptionRules, place: Place): KeyPath =>
  keyPath(place.stream, hasOwnKey(place.type) ? place.revision : 'record');

const beingErased = (): StoreUnavailable =>
  new StoreUnavailable('nothing is appended to a record that is being erased: its keys are destroyed');

const encryptAll = (
  { rules, keys, random }: Encryption,
  stream: StreamName,
  expected: ExpectedRevision,
  events: RNEA.ReadonlyNonEmptyArray<NewEvent>,
  onEncrypted: Lately['note'] = () => undefined,
): E.Either<AppendRejected | StoreUnavailable, RNEA.ReadonlyNonEmptyArray<NewEvent>> => {
  // of the texts as they are: half of a surrogate pair would be lost in the encryption, and no store could reject it
  const rejected = rejection(events, 0);
  if (rejected !== undefined) return E.left(rejected);
  const tree = keys();
  const first = nextRevision(expected);
  return RNEA.traverseWithIndex(E.Applicative)((index, event: NewEvent): E.Either<StoreUnavailable, NewEvent> => {
    const { type } = event;
    if (!rules.isSecret(stream, type)) return E.right(event);
    const key = tree.keyAt(keyPathOf(rules, { stream, revision: first + BigInt(index), type }));
    if (key === undefined) return E.left(beingErased());
    const stored = { ...event, ...encrypted(event, key, random) };
    onEncrypted(event, stored);
    return E.right(stored);
  })(events);
};

/** The texts of an encrypted event of a page, and what they hide; null where its key is destroyed. */
type Hidden = { readonly index: number; readonly data: string; readonly metadata: string };

/** Events that are encrypted, by the key of each: those of a page that are under one key are opened together. */
const hiddenByKey = (
  rules: EncryptionRules,
  events: ReadonlyArray<Place & Pick<StoredEvent, 'data' | 'metadata'>>,
): ReadonlyMap<KeyPath, ReadonlyArray<Hidden>> => {
  const byKey = new Map<KeyPath, Array<Hidden>>();
  for (const [index, event] of events.entries()) {
    // once: who holds bytes makes a text each time
    const { data, metadata } = event;
    if (!isEncrypted({ data, metadata })) continue;
    const path = keyPathOf(rules, event);
    const group = byKey.get(path);
    if (group === undefined) byKey.set(path, [{ index, data, metadata }]);
    else group.push({ index, data, metadata });
  }
  return byKey;
};

type Open<Event> = (event: Event, metadata: string, secret: Secret | null) => Event;

const openAll = <Event extends StoredEvent | EventBytes>(
  { rules, keys }: Encryption,
  events: ReadonlyArray<Event>,
  open: Open<Event>,
): ReadonlyArray<Event> => {
  const byKey = hiddenByKey(rules, events);
  if (byKey.size === 0) return events;
  const all = [...events];
  const tree = keys();
  for (const [path, group] of byKey) {
    const key = tree.keyAt(path);
    const secrets =
      key &&
      opened(
        key,
        group.map(({ data }) => data),
      );
    for (const [at, { index, metadata }] of group.entries()) {
      const event = events[index];
      const secret = secrets === undefined ? null : secrets[at];
      // what cannot have been encrypted here stays as it is: nobody can read it, and its hashes tell
      if (event !== undefined && secret !== undefined) all[index] = open(event, metadata, secret);
    }
  }
  return all;
};

const storedOpen: Open<StoredEvent> = (event, metadata, secret) =>
  secret === null
    ? { ...event, data: ERASED_DATA }
    : { ...event, data: textOf(secret.data), metadata: withSalt(metadata, secret.salt) };

/** An event of a page that was opened. Nothing else is taken of it before it is asked for. */
class OpenBytes implements EventBytes {
  readonly stream: StreamName;
  readonly data: ByteString;
  readonly withoutSalt: ByteString;
  readonly #event: EventBytes;
  readonly #secret: Secret;

  constructor(event: EventBytes, metadata: ByteString, secret: Secret) {
    this.stream = event.stream;
    this.data = secret.data;
    this.withoutSalt = metadata;
    this.#event = event;
    this.#secret = secret;
  }

  get metadata(): ByteString {
    return withSalt(this.withoutSalt, this.#secret.salt) as ByteString; // reason: a salt is ASCII
  }

  get isAscii(): boolean {
    return this.#secret.isAscii && this.#event.isAscii;
  }

  get id(): string {
    return this.#event.id;
  }

  get type(): string {
    return this.#event.type;
  }

  get revision(): Revision {
    return this.#event.revision;
  }

  get position(): Position {
    return this.#event.position;
  }

  get dataSize(): number {
    return this.data.length;
  }

  get metadataSize(): number {
    return this.withoutSalt.length + SALT_MEMBER_BYTES;
  }
}

const erasedBytes = (event: EventBytes): EventBytes => {
  const { id, type, stream, revision, position, metadata, metadataSize, isAscii } = event;
  const data = ERASED_DATA as ByteString; // reason: it is ASCII
  return { id, type, stream, revision, position, data, dataSize: data.length, metadata, metadataSize, isAscii };
};

const bytesOpen: Open<EventBytes> = (event, metadata, secret) =>
  // reason: they are the metadata of these bytes
  secret === null ? erasedBytes(event) : new OpenBytes(event, metadata as ByteString, secret);

/** Events as they were sealed; those whose keys are destroyed as erased: `{}`, and no salt. */
export const openEvents = (encryption: Encryption, events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> =>
  openAll(encryption, events, storedOpen);

async function* openBatches(
  encryption: Encryption,
  batches: AsyncIterable<LogBatch>,
  lately?: Lately,
): AsyncGenerator<LogBatch, void> {
  for await (const { events, checkpoint } of batches) {
    await encryption.refreshed?.();
    yield { events: openEvents(encryption, lately?.open(events) ?? events), checkpoint };
  }
}

async function* openPages(encryption: Encryption, pages: AsyncIterable<StreamPage>): AsyncGenerator<StreamPage, void> {
  for await (const { bytes, isLast } of pages) {
    await encryption.refreshed?.();
    yield new StreamPage(openAll(encryption, bytes, bytesOpen), isLast);
  }
}

const openByStream = (encryption: Encryption, { divide, read }: ByStream): ByStream => ({
  divide,
  read: async function* (range, upTo) {
    for await (const events of read(range, upTo)) {
      await encryption.refreshed?.();
      yield openEvents(encryption, events);
    }
  },
});

/**
 * A log whose events are encrypted when they are appended, and opened when they are read: who uses it sees them as they were
 * sealed, and those whose keys are destroyed as erased. What was appended before stays readable as it is. An append to a record
 * whose keys are destroyed fails.
 */
export const encryptedStore = (store: EventStore, encryption: Encryption): EventStore => {
  const lately = makeLately(encryption.keys);
  return {
    ...store,
    append: async (stream, expected, events, ...options) => {
      const texts = encryptAll(encryption, stream, expected, events, lately.note);
      if (E.isRight(texts)) return store.append(stream, expected, texts.right, ...options);
      // whoever does not know yet that the record is erased is told what every late append is told
      const actual = await store.newestRevision(stream, options[0]);
      if (E.isLeft(actual)) return actual;
      return actual.right === expected ? texts : E.left({ _tag: 'RevisionConflict', expected, actual: actual.right });
    },
    readStream: (stream, range) => openPages(encryption, store.readStream(stream, range)),
    readAll: (range) => openBatches(encryption, store.readAll(range)),
    subscribe: (range, signal) => openBatches(encryption, store.subscribe(range, signal), lately),
    ...(store.byStream && { byStream: openByStream(encryption, store.byStream) }),
  };
};

/** The same of a log that a whole log can be written into. */
export const encryptedLog = (log: LogTarget, encryption: Encryption): LogTarget => ({
  ...log,
  ...encryptedStore(log, encryption),
  appendInOrder: async (appends) => {
    const texts = E.traverseArray((append: (typeof appends)[number]) => {
      const { stream, expected, events } = append;
      return E.map((all: typeof events) => ({ ...append, events: all }))(
        encryptAll(encryption, stream, expected, events),
      );
    })(appends);
    return E.isLeft(texts) ? texts : log.appendInOrder(texts.right);
  },
});
