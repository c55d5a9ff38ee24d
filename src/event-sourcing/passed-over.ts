import { either as E } from 'fp-ts';
import type { Decider, Fold } from './decider.js';
import { objectIn } from './canonical-json.js';
import { Metadata } from './envelope.js';
import { isErased } from './hash-chain.js';
import type { StoredEvent } from './recorded-event.js';
import type { DomainEvent, Recorded, Serde, UndecodableEvent } from './serde.js';

/** Events that operators have decided to skip: every fold passes over them (docs/operations.md, parked entities). */
export type SkippedEvents = {
  readonly ids: ReadonlySet<string>;
  /** The streams that they belong to. */
  readonly streams: ReadonlySet<string>;
};

/** The events that are skipped, as far as this process knows them now. */
export type FindSkipped = () => SkippedEvents;

export const noneSkipped: SkippedEvents = { ids: new Set(), streams: new Set() };

/**
 * Stands for an event that changes nothing: one that is skipped, whether this program could read it or not, and one whose data
 * was erased.
 */
export type PassedOver = {
  readonly type: 'SkippedEvent' | 'ErasedEvent';
  readonly data: Readonly<Record<string, never>>;
};

const skippedEvent: PassedOver = { type: 'SkippedEvent', data: {} };
const erasedEvent: PassedOver = { type: 'ErasedEvent', data: {} };

export const isSkipped = (event: DomainEvent): event is PassedOver => event === skippedEvent;

export const isPassedOver = (event: DomainEvent): event is PassedOver =>
  event === skippedEvent || event === erasedEvent;

/** Its envelope, which the next append and the next revision need; undefined where it has none. */
const passed = (stored: StoredEvent, event: PassedOver): Recorded<PassedOver> | undefined => {
  const metadata = objectIn(stored.metadata);
  const { id, stream, revision, position } = stored;
  // otherwise its serde says what is wrong with it
  return Metadata.is(metadata) ? { id, stream, revision, position, event, reason: undefined, metadata } : undefined;
};

/** Decodes an event; of one whose data was erased, nothing but the envelope is needed. */
export const decodeUnlessErased = <Event extends DomainEvent>(
  serde: Pick<Serde<Event>, 'decode'>,
  stored: StoredEvent,
): E.Either<UndecodableEvent, Recorded<Event | PassedOver>> => {
  const erased = isErased(stored) ? passed(stored, erasedEvent) : undefined;
  return erased === undefined ? serde.decode(stored) : E.right(erased);
};

/** Reads events for a fold: one that it passes over needs to be no event of the entity, only to have an envelope. */
export const readPassingOver = <Event extends DomainEvent>(
  serde: Serde<Event>,
  findSkipped: FindSkipped,
): Serde<Event | PassedOver> => ({
  ...serde,
  schemaVersionOf: (type) => serde.schemaVersionOf(type),
  decode: (stored) => {
    const skipped = findSkipped().ids.has(stored.id) ? passed(stored, skippedEvent) : undefined;
    return skipped === undefined ? decodeUnlessErased(serde, stored) : E.right(skipped);
  },
});

/** A fold that such an event does not change. */
export const foldPassingOver = <State, Event extends DomainEvent>({
  initialState,
  evolve,
}: Fold<State, Event>): Fold<State, Event | PassedOver> => ({
  initialState,
  evolve: (state, event, occurrence) => (isPassedOver(event) ? state : evolve(state, event, occurrence)),
});

/** The rules of an entity, whose states such an event does not change. */
export const decidePassingOver = <State, Command, Event extends DomainEvent, Rejection>(
  decider: Decider<State, Command, Event, Rejection>,
): Decider<State, Command, Event | PassedOver, Rejection> => ({ ...decider, ...foldPassingOver(decider) });
