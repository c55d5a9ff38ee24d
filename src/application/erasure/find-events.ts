import { either as E } from 'fp-ts';
import { businessSerde } from '../../domain/business/serde.js';
import type { ErasedEvents } from '../../event-sourcing/erasure/erased-events.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { decodeUnlessErased } from '../../event-sourcing/passed-over.js';
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

/** Adds a revision behind those that are there. */
const extended = (
  ranges: ReadonlyArray<readonly [number, number]>,
  revision: number,
): ReadonlyArray<readonly [number, number]> => {
  const last = ranges.at(-1);
  return last !== undefined && last[1] + 1 === revision
    ? [...ranges.slice(0, -1), [last[0], revision]]
    : [...ranges, [revision, revision]];
};

const findOwner = async (store: Log, user: string): Promise<ReadonlyArray<RecordToErase>> => {
  const found = new Map<StreamName, ReadonlyArray<readonly [number, number]>>();
  // the log itself: an index may be behind it, and holds no more than the beginning of a name
  for await (const { events } of store.readAll({ after: 'start', categories: ['business'] }))
    for (const event of events)
      if (userOf(event) === user)
        found.set(event.stream, extended(found.get(event.stream) ?? [], Number(event.revision)));
  return [...found].map(([stream, ranges]) => ({ stream, events: ranges.map(([first, last]) => [first, last]) }));
};

const ERASED = /^(?:Business|Document)Erased$/;

/** All of a record but what says that it was erased; undefined where there is none, or nothing of it is left. */
const findRecord = async (store: Log, stream: StreamName): Promise<RecordToErase | undefined> => {
  for await (const page of store.readStream(stream, { direction: 'backwards', limit: 1 }))
    for (const event of page) if (!ERASED.test(event.type)) return { stream, events: 'all' };
  return undefined;
};

/** The events that an erasure of this subject is about, by stream. Throws `StoreUnavailable`. */
export const findEvents = async (store: Log, subject: Subject): Promise<ReadonlyArray<RecordToErase>> => {
  if (subject.kind === 'owner') return findOwner(store, subject.user);
  const record = await findRecord(store, `${subject.kind}-${subject.id}`);
  return record === undefined ? [] : [record];
};
