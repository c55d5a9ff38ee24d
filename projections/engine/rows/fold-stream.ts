import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import {
  entityIdOf,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '../../../src/event-sourcing/recorded-event.js';
import type { Projection } from '../../projection.js';
import { foldEntity, newEntity, type Parking } from './fold-batch.js';
import type { Entity } from './rows.js';

/** An entity folded from its stream; `parking`: the event that it stopped at. */
export type FoldedStream = { readonly entity: Entity; readonly parking: Parking | undefined };

const NOT_FOLDED = 'the entity is parked here';

/** As `foldEntity`, but parks the entity at revision `parkedAt` even when that event can be projected. */
const foldUntil = (
  projection: Projection,
  entity: Entity,
  events: ReadonlyArray<StoredEvent>,
  parkedAt: Revision | undefined,
): FoldedStream => {
  if (parkedAt === undefined) return foldEntity(projection, entity, events);
  const stop = events.findIndex(({ revision }) => revision === parkedAt);
  const event = events[stop];
  if (event === undefined) return foldEntity(projection, entity, events);
  const before = foldEntity(projection, entity, events.slice(0, stop));
  const waiting = events.length - stop;
  return before.parking === undefined
    ? { ...before, parking: { event, reason: NOT_FOLDED, waiting } }
    : { ...before, parking: { ...before.parking, waiting: before.parking.waiting + waiting } };
};

/** Folds the next events of a stream; once it is parked, only counts them. */
export const foldOn = (
  projection: Projection,
  known: FoldedStream,
  events: ReadonlyArray<StoredEvent>,
  parkedAt?: Revision,
): FoldedStream =>
  known.parking === undefined
    ? foldUntil(projection, known.entity, events, parkedAt)
    : { ...known, parking: { ...known.parking, waiting: known.parking.waiting + events.length } };

/** The entity of a stream before its first event. */
export const beginFold = (projection: Projection, first: StoredEvent): FoldedStream => ({
  entity: newEntity(projection, entityIdOf(first.stream), first),
  parking: undefined,
});

/**
 * Folds a stream up to a position, parked at revision `parkedAt` if that is given. Undefined when the stream has no
 * event up to the position. The beginnings of streams that are folded at the same time are read together where the store
 * can.
 */
export const foldStream = async (
  projection: Projection,
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  upTo: Position,
  parkedAt?: Revision,
): Promise<FoldedStream | undefined> => {
  let known: FoldedStream | undefined;
  for await (const page of store.readStream(stream, { direction: 'forwards', startsSmall: true })) {
    // where the first event is a large one, the first page is empty
    if (page.length === 0) continue;
    const events = [...page].filter(({ position }) => position <= upTo);
    const [first] = events;
    if (first === undefined) break;
    known = foldOn(projection, known ?? beginFold(projection, first), events, parkedAt);
  }
  return known;
};
