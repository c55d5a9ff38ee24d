import { canonicalJson, type JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { eventHash, GENESIS_HASH, macText, saltedHash } from '../../src/event-sourcing/envelope.js';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';

/** An event without its place in the log, which is its place in the list. */
export type HistoryEvent = Omit<StoredEvent, 'position'>;

/** What somebody does to a history. */
export type Tamper = (history: ReadonlyArray<HistoryEvent>) => ReadonlyArray<HistoryEvent>;

// reason: what the service wrote is a JSON object
export const objectOf = (text: string): JsonObject => JSON.parse(text) as JsonObject;

/** The same with other members in its metadata. */
export const withMetadata = (event: HistoryEvent, changed: JsonObject): HistoryEvent => ({
  ...event,
  metadata: canonicalJson({ ...objectOf(event.metadata), ...changed }),
});

/** One event of the list replaced. */
export const changed =
  (index: number, change: (event: HistoryEvent) => HistoryEvent): Tamper =>
  (history) =>
    history.map((event, at) => (at === index ? change(event) : event));

export const removed =
  (isRemoved: (event: HistoryEvent, index: number) => boolean): Tamper =>
  (history) =>
    history.filter((event, index) => !isRemoved(event, index));

export const swapped =
  (one: number, other: number): Tamper =>
  (history) =>
    history.map((event, index) => (index === one ? history[other]! : index === other ? history[one]! : event));

/** What a forger does with the `mac` of an event that he writes anew. */
type Mac = 'kept' | 'none' | EventKey;

const macOf = (event: HistoryEvent, envelope: JsonObject, mac: Mac): JsonObject => {
  const { mac: before, ...rest } = envelope;
  if (mac === 'none') return rest;
  if (mac !== 'kept') return { ...rest, mac: mac.macOf(macText(event, rest)) };
  return before === undefined ? rest : envelope;
};

/** The history with revisions and all hashes of one stream computed anew: every chain is intact after that. */
export const rechained = (
  history: ReadonlyArray<HistoryEvent>,
  stream: string,
  mac: Mac,
): ReadonlyArray<HistoryEvent> => {
  let [revision, previousHash] = [0n, GENESIS_HASH];
  return history.map((event) => {
    if (event.stream !== stream) return event;
    const placed = { ...event, revision };
    const { hash: _hash, ...before } = objectOf(event.metadata);
    const salt = before['salt'];
    const dataHash =
      typeof salt === 'string' ? saltedHash(salt, canonicalJson(objectOf(event.data))) : before['dataHash'];
    const envelope = macOf(placed, { ...before, previousHash, dataHash: dataHash ?? null }, mac);
    const hash = eventHash(placed, envelope);
    revision += 1n;
    previousHash = hash;
    return { ...placed, metadata: canonicalJson({ ...envelope, hash }) };
  });
};
