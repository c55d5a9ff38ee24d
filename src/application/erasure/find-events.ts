import { either as E } from 'fp-ts';
import { businessSerde } from '../../domain/business/serde.js';
import type { Attachment, DocumentEvent } from '../../domain/document/events.js';
import { documentSerde } from '../../domain/document/serde.js';
import { attachmentOf } from '../../domain/document/state.js';
import {
  addRevision,
  covers,
  type ErasedEvents,
  erasureIn,
  saysErased,
} from '../../event-sourcing/erasure/erased-events.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { isErased } from '../../event-sourcing/hash-chain.js';
import { decodeUnlessErased, type PassedOver } from '../../event-sourcing/passed-over.js';
import { readNewestEvent } from '../../event-sourcing/read-event.js';
import type { StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';

/** Whose data is to be erased: all of a record, or of a user what businesses say of him as their owner. */
export type Subject =
  { readonly kind: 'business' | 'document'; readonly id: string } | { readonly kind: 'owner'; readonly user: string };

/** Events of one stream. */
export type RecordToErase = { readonly stream: StreamName; readonly events: ErasedEvents };

type Log = Pick<EventStore, 'readStream' | 'readAll'>;

const userOf = (stored: StoredEvent): string | undefined => {
  const decoded = decodeUnlessErased(businessSerde, stored);
  if (E.isLeft(decoded)) return undefined;
  const { data } = decoded.right.event;
  return 'user' in data ? data.user : undefined;
};

const findOwner = async (store: Log, user: string): Promise<ReadonlyArray<RecordToErase>> => {
  const found = new Map<StreamName, Array<[first: number, last: number]>>();
  // the log itself: an index may be behind it, and holds no more than the beginning of a name
  for await (const { events } of store.readAll({ after: 'start', categories: ['business'] }))
    for (const event of events) {
      if (userOf(event) !== user) continue;
      const ranges = found.get(event.stream) ?? [];
      addRevision(ranges, event.revision);
      found.set(event.stream, ranges);
    }
  return [...found].map(([stream, events]) => ({ stream, events }));
};

/** What a document is attached to after an event that says so. */
const attachmentIn = ({ type, data }: DocumentEvent | PassedOver): Attachment | undefined => {
  if (type === 'DocumentCreated') return attachmentOf(data);
  return 'attachedTo' in data ? data.attachedTo : undefined;
};

/** The documents that are or were attached to the user, where it is about one. Throws `StoreUnavailable`. */
export const findAttached = async (store: Log, subject: Subject): Promise<ReadonlyArray<StreamName>> => {
  if (subject.kind !== 'owner') return [];
  const found = new Set<StreamName>();
  for await (const { events } of store.readAll({ after: 'start', categories: ['document'] }))
    for (const stored of events) {
      const decoded = decodeUnlessErased(documentSerde, stored);
      const attachment = E.isLeft(decoded) ? undefined : attachmentIn(decoded.right.event);
      if (attachment?.entityType === 'User' && attachment.entity === subject.user) found.add(stored.stream);
    }
  return [...found];
};

/** All of a record, where there is one that says itself that this was erased, or one that does not. */
const findRecord = async (
  store: Pick<Log, 'readStream'>,
  stream: StreamName,
  isErased: boolean,
): Promise<ReadonlyArray<RecordToErase>> => {
  const newest = await readNewestEvent(store, stream);
  if (newest === undefined || (erasureIn(newest)?.events === 'all') !== isErased) return [];
  return [{ stream, events: 'all' }];
};

/** All of a record where it says itself that this was erased, else nothing. Throws `StoreUnavailable`. */
export const findErased = (store: Pick<Log, 'readStream'>, stream: StreamName): Promise<ReadonlyArray<RecordToErase>> =>
  findRecord(store, stream, true);

/** The events that an erasure of this subject is about, by stream. Throws `StoreUnavailable`. */
export const findEvents = (store: Log, subject: Subject): Promise<ReadonlyArray<RecordToErase>> =>
  subject.kind === 'owner' ? findOwner(store, subject.user) : findRecord(store, `${subject.kind}-${subject.id}`, false);

/** Whether the data of one of these events is to be read. Throws `StoreUnavailable`. */
export const isReadable = async (store: Pick<Log, 'readStream'>, record: RecordToErase): Promise<boolean> => {
  for await (const events of eventsToErase(store, record)) if (!events.every(isErased)) return true;
  return false;
};

/** Events of one record that are given together. */
const EVENTS_AT_ONCE = 500;

/** The events of a record that are to be erased, as they are now: none that says that others were. Throws `StoreUnavailable`. */
export async function* eventsToErase(
  store: Pick<EventStore, 'readStream'>,
  { stream, events }: RecordToErase,
): AsyncGenerator<ReadonlyArray<StoredEvent>, void> {
  let batch: Array<StoredEvent> = [];
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    for (const event of page) {
      if (saysErased(event) || !covers(events, event.revision + 1n, event.revision)) continue;
      batch.push(event);
      if (batch.length < EVENTS_AT_ONCE) continue;
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}
