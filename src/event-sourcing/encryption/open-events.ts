import { type ByteString, isAsciiText, textOf } from '../byte-string.js';
import type { Position, Revision, StoredEvent, StreamName } from '../recorded-event.js';
import type { EventBytes } from '../stream-page.js';
import { dataOf, ERASED_DATA, isEncrypted, opened, SALT_MEMBER_BYTES, type Secret, withSalt } from './at-rest.js';
import { type Encryption, type EncryptionRules, keyPathOf } from './encryption.js';
import type { KeyPath, KeyTree } from './key-tree.js';

/** What is taken of an event to open it. */
type Closed = Pick<StoredEvent, 'id' | 'type' | 'stream' | 'revision' | 'data' | 'metadata'>;

/** What an event hides; null: its key is destroyed; undefined: nothing that can have been encrypted here. */
type Hidden = Secret | null | undefined;

/** Places of the encrypted ones, by the key of each. */
const encryptedByKey = (
  rules: EncryptionRules,
  events: ReadonlyArray<Closed>,
): ReadonlyMap<KeyPath, ReadonlyArray<number>> => {
  const byKey = new Map<KeyPath, Array<number>>();
  for (const [index, event] of events.entries()) {
    if (!isEncrypted(event)) continue;
    const path = keyPathOf(rules, event);
    const places = byKey.get(path);
    if (places === undefined) byKey.set(path, [index]);
    else places.push(index);
  }
  return byKey;
};

/** Of each event in its place. Those under one key are opened together. */
const hiddenIn = (rules: EncryptionRules, tree: KeyTree, events: ReadonlyArray<Closed>): ReadonlyArray<Hidden> => {
  const hidden = new Array<Hidden>(events.length).fill(undefined);
  for (const [path, places] of encryptedByKey(rules, events)) {
    const cipher = tree.cipherAt(path);
    const secrets =
      cipher &&
      opened(
        cipher,
        places.map((index) => events[index]?.data ?? ''),
      );
    for (const [at, index] of places.entries()) hidden[index] = secrets === undefined ? null : secrets[at];
  }
  return hidden;
};

/** Events as they were sealed; those whose keys are destroyed as erased: `{}`, and no salt. */
export const openEvents = (
  { rules, keys }: Encryption,
  events: ReadonlyArray<StoredEvent>,
): ReadonlyArray<StoredEvent> => {
  const hidden = hiddenIn(rules, keys(), events);
  return events.map((event, index) => {
    const secret = hidden[index];
    if (secret === undefined) return event;
    if (secret === null) return { ...event, data: ERASED_DATA };
    return { ...event, data: textOf(dataOf(secret)), metadata: withSalt(event.metadata, secret) };
  });
};

/** How many events of a page are opened at once. */
const AT_ONCE = 32;

/** What is taken of an event of a page, all at one time: who holds bytes makes a text of all of them each time. */
type Taken = Pick<EventBytes, 'id' | 'type' | 'stream' | 'revision' | 'data' | 'metadata'> & { hidden: Hidden };

const taken = (event: EventBytes): Taken => {
  const { id, type, stream, revision, data, metadata } = event;
  return { id, type, stream, revision, data, metadata, hidden: undefined };
};

/**
 * The events of a page. They are opened some at once when their texts are asked for, and forgotten for the next ones: pages
 * wait for their turn, and the collector would copy again and again what is opened before.
 */
class ClosedPage {
  readonly #rules: EncryptionRules;
  readonly #tree: KeyTree;
  readonly #events: ReadonlyArray<EventBytes>;
  /** The events from `#from` on that are open. */
  #open: ReadonlyArray<Taken> = [];
  #from = 0;

  constructor({ rules, keys }: Encryption, events: ReadonlyArray<EventBytes>) {
    this.#rules = rules;
    this.#tree = keys();
    this.#events = events;
  }

  /** Undefined where the event is not open just now. */
  ifOpen(index: number): Taken | undefined {
    return this.#open[index - this.#from];
  }

  opened(index: number): Taken {
    return this.ifOpen(index) ?? this.#openAt(index);
  }

  #openAt(index: number): Taken {
    this.#from = index - (index % AT_ONCE);
    const open = this.#events.slice(this.#from, this.#from + AT_ONCE).map(taken);
    const hidden = hiddenIn(this.#rules, this.#tree, open);
    for (const [at, event] of open.entries()) event.hidden = hidden[at];
    this.#open = open;
    const event = open[index - this.#from];
    if (event === undefined) throw new RangeError(`there is no event ${index} of a page`);
    return event;
  }
}

/** An event of a page, with nothing opened before its texts are asked for. */
class ClosedBytes implements EventBytes {
  readonly #page: ClosedPage;
  readonly #index: number;
  readonly #event: EventBytes;

  constructor(page: ClosedPage, index: number, event: EventBytes) {
    this.#page = page;
    this.#index = index;
    this.#event = event;
  }

  get id(): string {
    return this.#outside.id;
  }

  get type(): string {
    return this.#outside.type;
  }

  get stream(): StreamName {
    return this.#event.stream;
  }

  get revision(): Revision {
    return this.#outside.revision;
  }

  get position(): Position {
    return this.#event.position;
  }

  get data(): ByteString {
    const { hidden, data } = this.#page.opened(this.#index);
    if (hidden === undefined) return data;
    return hidden === null ? (ERASED_DATA as ByteString) : dataOf(hidden); // reason: it is ASCII
  }

  get metadata(): ByteString {
    const { hidden, metadata } = this.#page.opened(this.#index);
    return hidden ? (withSalt(metadata, hidden) as ByteString) : metadata; // reason: a salt is ASCII
  }

  get withoutSalt(): ByteString | undefined {
    const { hidden, metadata } = this.#page.opened(this.#index);
    return hidden ? metadata : undefined;
  }

  get isAscii(): boolean {
    return isAsciiText(this.data) && isAsciiText(this.metadata);
  }

  get dataSize(): number {
    return this.#event.dataSize;
  }

  get metadataSize(): number {
    return this.#event.metadataSize + SALT_MEMBER_BYTES;
  }

  /** What is not encrypted: whoever looks at the ends of a page opens nothing. */
  get #outside(): Pick<EventBytes, 'id' | 'type' | 'revision'> {
    return this.#page.ifOpen(this.#index) ?? this.#event;
  }
}

/** The same of the events of a page. */
export const openBytes = (encryption: Encryption, events: ReadonlyArray<EventBytes>): ReadonlyArray<EventBytes> => {
  const page = new ClosedPage(encryption, events);
  return events.map((event, index) => new ClosedBytes(page, index, event));
};
