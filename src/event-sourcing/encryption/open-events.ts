import { type ByteString, isAsciiText, textOf } from '../byte-string.js';
import type { Position, Revision, StoredEvent, StreamName } from '../recorded-event.js';
import type { EventBytes } from '../stream-page.js';
import { dataOf, ERASED_DATA, isEncrypted, opened, SALT_MEMBER_BYTES, type Secret, withSalt } from './at-rest.js';
import { type Encryption, type EncryptionRules, keyPathOf } from './encryption.js';
import type { KeyPath } from './key-tree.js';

/** What is taken of an encrypted event of a page, at one time: who holds bytes makes a text of all of them each time. */
type Hidden = Pick<StoredEvent, 'id' | 'type' | 'revision' | 'data' | 'metadata'> & { readonly index: number };

/** Events that are encrypted, by the key of each: those of a page that are under one key are opened together. */
const hiddenByKey = (
  rules: EncryptionRules,
  events: ReadonlyArray<StoredEvent | EventBytes>,
): ReadonlyMap<KeyPath, ReadonlyArray<Hidden>> => {
  const byKey = new Map<KeyPath, Array<Hidden>>();
  for (const [index, event] of events.entries()) {
    const { id, type, revision, data, metadata } = event;
    if (!isEncrypted({ data, metadata })) continue;
    const hidden = { index, id, type, revision, data, metadata };
    const path = keyPathOf(rules, { stream: event.stream, revision, type });
    const group = byKey.get(path);
    if (group === undefined) byKey.set(path, [hidden]);
    else group.push(hidden);
  }
  return byKey;
};

/** An event as it was sealed; null: its key is destroyed. */
type Open<Event> = (event: Event, hidden: Hidden, secret: Secret | null) => Event;

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
    for (const [at, hidden] of group.entries()) {
      const event = events[hidden.index];
      const secret = secrets === undefined ? null : secrets[at];
      // what cannot have been encrypted here stays as it is: nobody can read it, and its hashes tell
      if (event !== undefined && secret !== undefined) all[hidden.index] = open(event, hidden, secret);
    }
  }
  return all;
};

const storedOpen: Open<StoredEvent> = (event, { metadata }, secret) =>
  secret === null
    ? { ...event, data: ERASED_DATA }
    : { ...event, data: textOf(dataOf(secret)), metadata: withSalt(metadata, secret) };

/** An event of a page that was opened. */
class OpenBytes implements EventBytes {
  readonly id: string;
  readonly type: string;
  readonly stream: StreamName;
  readonly revision: Revision;
  readonly data: ByteString;
  readonly withoutSalt: ByteString;
  readonly #event: EventBytes;
  readonly #secret: Secret;

  constructor(event: EventBytes, { id, type, revision, metadata }: Hidden, secret: Secret) {
    this.id = id;
    this.type = type;
    this.stream = event.stream;
    this.revision = revision;
    this.data = dataOf(secret);
    this.withoutSalt = metadata as ByteString; // reason: they are the metadata of these bytes
    this.#event = event;
    this.#secret = secret;
  }

  get metadata(): ByteString {
    return withSalt(this.withoutSalt, this.#secret) as ByteString; // reason: a salt is ASCII
  }

  get isAscii(): boolean {
    return isAsciiText(this.data) && this.#event.isAscii;
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

const bytesOpen: Open<EventBytes> = (event, hidden, secret) =>
  secret === null ? erasedBytes(event) : new OpenBytes(event, hidden, secret);

/** Events as they were sealed; those whose keys are destroyed as erased: `{}`, and no salt. */
export const openEvents = (encryption: Encryption, events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> =>
  openAll(encryption, events, storedOpen);

/** The same of the events of a page. */
export const openBytes = (encryption: Encryption, events: ReadonlyArray<EventBytes>): ReadonlyArray<EventBytes> =>
  openAll(encryption, events, bytesOpen);
