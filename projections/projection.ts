import type { Occurrence } from '../src/event-sourcing/decider.js';
import type { DomainEvent, Serde } from '../src/event-sourcing/serde.js';

/** The value of one key column; an array column travels as its array literal (`arrayLiteral`). */
export type Cell = string | null;

/** A column that lists can be filtered by. */
export type KeyColumnOf<State> = {
  readonly name: string;
  readonly type: 'text' | 'text[]';
  /** The filter of the read side's queries that this column answers. */
  readonly filter: string;
  /** Null for a state that lists do not show. */
  cellOf(this: void, state: State): Cell;
};

export type KeyColumn = KeyColumnOf<unknown>;

/** The column of each filter, by the name of the filter; their order is that of the table. */
export type Columns<Filter extends string, State> = Readonly<Record<Filter, Omit<KeyColumnOf<State>, 'filter'>>>;

export const keysOf = <State>(columns: Columns<string, State>): ReadonlyArray<KeyColumnOf<State>> =>
  Object.entries(columns).map(([filter, column]) => ({ ...column, filter }));

/** What a row says about a state, beside its id, revision and creation position. */
export type RowContent = {
  /** The JSON text that GET answers; null where the entity does not answer (not created, deleted). */
  readonly body: string | null;
  /** Hidden state: JSON of what the state holds and the body does not show. */
  readonly hidden: string | null;
};

/**
 * One read model: how the fold of an entity's stream becomes a row, and back. A row is all that is needed to go on:
 * `contentOf` and `stateOf` are inverse on every state that `evolve` can reach, so live projecting reads no log.
 */
export type ProjectionOf<State, Event extends DomainEvent> = {
  /** Of the read model: what its view and its tables are named by. */
  readonly name: string;
  readonly category: string;
  /**
   * Counts the changes to the fold, the renderer or the hidden state that change rows without changing a column: raised
   * with each of them, which test/projections/version.test.ts sees to.
   */
  readonly revision: number;
  readonly eventTypes: ReadonlyArray<Event['type']>;
  readonly serde: Serde<Event>;
  /** Ids of events that an operator has decided to pass over: they count, and change nothing. */
  readonly skipped?: ReadonlySet<string>;
  readonly initialState: State;
  evolve(this: void, state: State, event: Event, occurrence: Occurrence): State;
  readonly keys: ReadonlyArray<KeyColumnOf<State>>;
  contentOf(this: void, id: string, state: State): RowContent;
  stateOf(this: void, content: RowContent): State;
};

/**
 * A projection as the engine works with it, whatever its kind. A state is opaque to the engine: it hands it back to the
 * projection that it came from, and to no other.
 */
export type Projection = ProjectionOf<unknown, DomainEvent>;

/** A one-dimensional array as Postgres reads it from text. */
export const arrayLiteral = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
