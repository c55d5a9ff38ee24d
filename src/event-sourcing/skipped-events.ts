import { either as E } from 'fp-ts';
import type { Decider, Fold } from './decider.js';
import { Metadata } from './envelope.js';
import type { StoredEvent } from './recorded-event.js';
import type { DomainEvent, Recorded, Serde } from './serde.js';

/** Events that operators have decided to skip: every fold passes over them (docs/operations.md, parked entities). */
export type SkippedEvents = {
  readonly ids: ReadonlySet<string>;
  /** The streams that they belong to. */
  readonly streams: ReadonlySet<string>;
};

/** The events that are skipped, as far as this process knows them now. */
export type FindSkipped = () => SkippedEvents;

export const noneSkipped: SkippedEvents = { ids: new Set(), streams: new Set() };

/** Stands for an event that is skipped, whether this program could read it or not. */
export type SkippedEvent = { readonly type: 'SkippedEvent'; readonly data: Readonly<Record<string, never>> };

const skippedEvent: SkippedEvent = { type: 'SkippedEvent', data: {} };

export const isSkipped = (event: DomainEvent): event is SkippedEvent => event === skippedEvent;

/** The envelope of a skipped event, which the next append and the next revision need; undefined where it has none. */
const passed = (stored: StoredEvent): Recorded<SkippedEvent> | undefined => {
  try {
    const metadata: unknown = JSON.parse(stored.metadata);
    const { id, stream, revision, position } = stored;
    if (Metadata.is(metadata))
      return { id, stream, revision, position, event: skippedEvent, reason: undefined, metadata };
  } catch {
    // its serde says what is wrong with it
  }
  return undefined;
};

/** Reads events for a fold: a skipped one needs to be no event of the entity, only to have an envelope. */
export const readPassingOver = <Event extends DomainEvent>(
  serde: Serde<Event>,
  findSkipped: FindSkipped,
): Serde<Event | SkippedEvent> => ({
  ...serde,
  schemaVersionOf: (type) => serde.schemaVersionOf(type),
  decode: (stored) => {
    const skipped = findSkipped().ids.has(stored.id) ? passed(stored) : undefined;
    return skipped === undefined ? serde.decode(stored) : E.right(skipped);
  },
});

/** A fold that a skipped event does not change. */
export const foldPassingOver = <State, Event extends DomainEvent>({
  initialState,
  evolve,
}: Fold<State, Event>): Fold<State, Event | SkippedEvent> => ({
  initialState,
  evolve: (state, event, occurrence) => (isSkipped(event) ? state : evolve(state, event, occurrence)),
});

/** The rules of an entity, whose states a skipped event does not change. */
export const decidePassingOver = <State, Command, Event extends DomainEvent, Rejection>(
  decider: Decider<State, Command, Event, Rejection>,
): Decider<State, Command, Event | SkippedEvent, Rejection> => ({ ...decider, ...foldPassingOver(decider) });
