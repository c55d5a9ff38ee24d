import { either as E } from 'fp-ts';
import { byteStringOf } from '../event-sourcing/byte-string.js';
import type { JsonObject } from '../event-sourcing/canonical-json.js';
import type { Fold } from '../event-sourcing/decider.js';
import { type DomainEvent, occurrenceOf, type Serde } from '../event-sourcing/serde.js';
import { type EventBytes, storedEventOf } from '../event-sourcing/stream-page.js';
import { diff, type IdentifiedBy } from './diff.js';
import { UndecodableEventError } from './event-view.js';

/** What is compared of the states of an entity. */
export type Comparison<State> = {
  /** The record as GET answers it, without `_id`, and what else of it may change; undefined where there is no record. */
  readonly recordOf: (id: string, state: State) => JsonObject | undefined;
  readonly identifiedBy: IdentifiedBy;
};

/** Folds the events of an entity, and says what each of them changed. Throws `UndecodableEventError`. */
export type EventDiffs<State> = {
  readonly initialState: State;
  readonly stateAfter: (events: ReadonlyArray<EventBytes>, before: State) => State;
  /** For each event the JSON text of its changes, as a byte string; and the state after the last one. */
  readonly diffsOf: (
    id: string,
    events: ReadonlyArray<EventBytes>,
    before: State,
  ) => { readonly diffs: ReadonlyArray<string>; readonly after: State };
};

export const makeEventDiffs = <State, Event extends DomainEvent>(
  { decode }: Serde<Event>,
  { initialState, evolve }: Fold<State, Event>,
  { recordOf, identifiedBy }: Comparison<State>,
): EventDiffs<State> => {
  const next = (state: State, bytes: EventBytes): State => {
    const decoded = decode(storedEventOf(bytes));
    if (E.isLeft(decoded)) throw new UndecodableEventError(decoded.left);
    return evolve(state, decoded.right.event, occurrenceOf(decoded.right));
  };

  return {
    initialState,
    stateAfter: (events, before) => events.reduce(next, before),
    diffsOf: (id, events, before) => {
      let after = before;
      let record = recordOf(id, before);
      const diffs = events.map((event) => {
        after = next(after, event);
        const previous = record;
        record = recordOf(id, after);
        return byteStringOf(JSON.stringify(diff(previous, record, identifiedBy)));
      });
      return { diffs, after };
    },
  };
};
