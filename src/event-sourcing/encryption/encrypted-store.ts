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
  type Revision,
  type StoredEvent,
  type StreamName,
} from '../recorded-event.js';
import { type EventBytes, StreamPage } from '../stream-page.js';
import type { LogTarget } from '../whole-log/log-target.js';
import { encrypted, ERASED_DATA, isEncrypted, opened, type Secret, withSalt } from './at-rest.js';
import { type KeyPath, keyPath, type KeyTree } from './key-tree.js';

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
  readonly random: Random;
};

type Place = { readonly stream: StreamName; readonly revision: Revision; readonly type: string };

/** The place of the key of an event. */
export const keyPathOf = ({ hasOwnKey }: EncryptionRules, { stream, revision, type }: Place): KeyPath =>
  keyPath(stream, hasOwnKey(type) ? revision : 'record');

const beingErased = (): StoreUnavailable =>
  new StoreUnavailable('nothing is appended to a record that is being erased: its keys are destroyed');

const encryptAll = (
  { rules, keys, random }: Encryption,
  stream: StreamName,
  expected: ExpectedRevision,
  events: RNEA.ReadonlyNonEmptyArray<NewEvent>,
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
    return key === undefined ? E.left(beingErased()) : E.right({ ...event, ...encrypted(event, key, random) });
  })(events);
};

/**
 * What is hidden in each of these events, where something is; null where its key is destroyed. Those of a page that are
 * under one key are opened together.
 */
const secretsOf = (
  { rules, keys }: Encryption,
  events: ReadonlyArray<Place & Pick<StoredEvent, 'data' | 'metadata'>>,
): ReadonlyMap<number, Secret | null> => {
  const byKey = new Map<KeyPath, Array<number>>();
  for (const [index, event] of events.entries()) {
    if (!isEncrypted(event)) continue;
    const path = keyPathOf(rules, event);
    const group = byKey.get(path);
    if (group === undefined) byKey.set(path, [index]);
    else group.push(index);
  }
  const secrets = new Map<number, Secret | null>();
  const tree = keys();
  for (const [path, indexes] of byKey) {
    const key = tree.keyAt(path);
    const found =
      key &&
      opened(
        key,
        indexes.map((index) => events[index]?.data ?? ''),
      );
    for (const [at, index] of indexes.entries()) {
      const secret = found === undefined ? null : found[at];
      // what cannot have been encrypted here stays as it is: nobody can read it, and its hashes tell
      if (secret !== undefined) secrets.set(index, secret);
    }
  }
  return secrets;
};

const storedOpen = (event: StoredEvent, secret: Secret | null): StoredEvent =>
  secret === null
    ? { ...event, data: ERASED_DATA }
    : { ...event, data: textOf(secret.data), metadata: withSalt(event.metadata, secret.salt) };

const bytesOpen = (event: EventBytes, secret: Secret | null): EventBytes => {
  const { id, type, stream, revision, position } = event;
  // reason: both are ASCII, and so is a salt
  const data = secret === null ? (ERASED_DATA as ByteString) : secret.data;
  const metadata = (secret === null ? event.metadata : withSalt(event.metadata, secret.salt)) as ByteString;
  const isAscii = event.isAscii && (secret?.isAscii ?? true);
  const sizes = { dataSize: data.length, metadataSize: metadata.length };
  return { id, type, stream, revision, position, data, metadata, isAscii, ...sizes };
};

const openAll = <Event extends StoredEvent | EventBytes>(
  encryption: Encryption,
  events: ReadonlyArray<Event>,
  open: (event: Event, secret: Secret | null) => Event,
): ReadonlyArray<Event> => {
  const secrets = secretsOf(encryption, events);
  if (secrets.size === 0) return events;
  return events.map((event, index) => {
    const secret = secrets.get(index);
    return secret === undefined ? event : open(event, secret);
  });
};

/** Events as they were sealed; those whose keys are destroyed as erased: `{}`, and no salt. */
export const openEvents = (encryption: Encryption, events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> =>
  openAll(encryption, events, storedOpen);

async function* openBatches(encryption: Encryption, batches: AsyncIterable<LogBatch>): AsyncGenerator<LogBatch, void> {
  for await (const { events, checkpoint } of batches) yield { events: openEvents(encryption, events), checkpoint };
}

async function* openPages(encryption: Encryption, pages: AsyncIterable<StreamPage>): AsyncGenerator<StreamPage, void> {
  for await (const { bytes, isLast } of pages) yield new StreamPage(openAll(encryption, bytes, bytesOpen), isLast);
}

const openByStream = (encryption: Encryption, { divide, read }: ByStream): ByStream => ({
  divide,
  read: async function* (range, upTo) {
    for await (const events of read(range, upTo)) yield openEvents(encryption, events);
  },
});

/**
 * A log whose events are encrypted when they are appended, and opened when they are read: who uses it sees them as they were
 * sealed, and those whose keys are destroyed as erased. What was appended before stays readable as it is. An append to a record
 * whose keys are destroyed fails.
 */
export const encryptedStore = (store: EventStore, encryption: Encryption): EventStore => ({
  ...store,
  append: async (stream, expected, events, ...options) => {
    const texts = encryptAll(encryption, stream, expected, events);
    if (E.isRight(texts)) return store.append(stream, expected, texts.right, ...options);
    // whoever does not know yet that the record is erased is told what every late append is told
    const actual = await store.newestRevision(stream, options[0]);
    if (E.isLeft(actual)) return actual;
    return actual.right === expected ? texts : E.left({ _tag: 'RevisionConflict', expected, actual: actual.right });
  },
  readStream: (stream, range) => openPages(encryption, store.readStream(stream, range)),
  readAll: (range) => openBatches(encryption, store.readAll(range)),
  subscribe: (range, signal) => openBatches(encryption, store.subscribe(range, signal)),
  ...(store.byStream && { byStream: openByStream(encryption, store.byStream) }),
});

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
