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

/** An entity as its stream makes it; `parking` tells what it stopped at. */
export type FoldedStream = { readonly entity: Entity; readonly parking: Parking | undefined };

const NOT_FOLDED = 'the entity is parked here';

/** As `foldEntity`; the event at `parkedAt` is taken for one that cannot be projected. */
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

/** Folds the next events of a stream onto what it has come to; behind a parked event they only wait. */
export const foldOn = (
  projection: Projection,
  known: FoldedStream,
  events: ReadonlyArray<StoredEvent>,
  parkedAt?: Revision,
): FoldedStream =>
  known.parking === undefined
    ? foldUntil(projection, known.entity, events, parkedAt)
    : { ...known, parking: { ...known.parking, waiting: known.parking.waiting + events.length } };

/** A stream before its first event. */
export const beginFold = (projection: Projection, first: StoredEvent): FoldedStream => ({
  entity: newEntity(projection, entityIdOf(first.stream), first),
  parking: undefined,
});

/**
 * Folds a stream up to a position, and no further than to before the event at `parkedAt`; undefined when it holds
 * nothing up to there.
 */
export const foldStream = async (
  projection: Projection,
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  upTo: Position,
  parkedAt?: Revision,
): Promise<FoldedStream | undefined> => {
  let known: FoldedStream | undefined;
  for await (const page of store.readStream(stream, { direction: 'forwards' })) {
    const events = page.filter(({ position }) => position <= upTo);
    const [first] = events;
    if (first === undefined) break;
    known = foldOn(projection, known ?? beginFold(projection, first), events, parkedAt);
  }
  return known;
};
