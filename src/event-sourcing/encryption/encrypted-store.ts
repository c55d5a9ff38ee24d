import { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import { rejection } from '../append-limits.js';
import {
  type AppendRejected,
  type ByStream,
  type EventStore,
  type LogBatch,
  StoreUnavailable,
} from '../event-store.js';
import { type ExpectedRevision, nextRevision, type NewEvent, type StreamName } from '../recorded-event.js';
import { StreamPage } from '../stream-page.js';
import type { LogTarget } from '../whole-log/log-target.js';
import { encrypted } from './at-rest.js';
import { type Encryption, keyPathOf } from './encryption.js';
import { type Lately, makeLately } from './lately.js';
import { openBytes, openEvents } from './open-events.js';

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
    const cipher = tree.cipherAt(keyPathOf(rules, { stream, revision: first + BigInt(index), type }));
    if (cipher === undefined) return E.left(beingErased());
    const stored = { ...event, ...encrypted(event, cipher, random) };
    onEncrypted(event, stored);
    return E.right(stored);
  })(events);
};

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

async function* openPages(
  encryption: Encryption,
  pages: AsyncIterable<StreamPage>,
  asksForKeys = false,
): AsyncGenerator<StreamPage, void> {
  if (asksForKeys) await encryption.refresh?.();
  for await (const { bytes, isLast } of pages) {
    await encryption.refreshed?.();
    yield new StreamPage(openBytes(encryption, bytes), isLast);
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
    readStream: (stream, range) => openPages(encryption, store.readStream(stream, range), range.asksForKeys),
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
