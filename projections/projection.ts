import type { Occurrence } from '../src/event-sourcing/decider.js';
import type { DomainEvent, Serde } from '../src/event-sourcing/serde.js';

/** The value of one key column; an array column travels as its array literal (`arrayLiteral`). */
export type Cell = string | null;

/** A column that lists can be filtered by. */
export type KeyColumn<State> = {
  readonly name: string;
  readonly type: 'text' | 'text[]';
  /** The filter of the read side's queries that this column answers. */
  readonly filter: string;
  /** Null for a state that lists do not show. */
  readonly cellOf: (state: State) => Cell;
};

/** The column of each filter, by the name of the filter; their order is that of the table. */
export type Columns<Filter extends string, State> = Readonly<Record<Filter, Omit<KeyColumn<State>, 'filter'>>>;

export const keysOf = <State>(columns: Columns<string, State>): ReadonlyArray<KeyColumn<State>> =>
  Object.entries(columns).map(([filter, column]) => ({ ...column, filter }));

/** What a row says about a state, beside its id, revision and place. */
export type RowContent = {
  /** The JSON text that GET answers; null where the entity does not answer (not created, deleted). */
  readonly body: string | null;
  /** JSON of what the state holds and the body does not show. */
  readonly kept: string | null;
};

/**
 * One read model: how the fold of an entity's stream becomes a row, and back. A row is all that is needed to go on:
 * `contentOf` and `stateOf` are inverse on every state that `evolve` can reach, so live projecting reads no log.
 */
export type Projection<State, Event extends DomainEvent> = {
  readonly name: 'businesses' | 'documents';
  readonly category: 'business' | 'document';
  /**
   * Counts the changes to the fold, the renderer or `kept` that change rows without changing a column: raised with
   * each of them, which test/projections/version.test.ts sees to.
   */
  readonly shape: number;
  readonly eventTypes: ReadonlyArray<Event['type']>;
  readonly serde: Serde<Event>;
  /** Ids of events that an operator has decided to pass over: they count, and change nothing. */
  readonly skipped?: ReadonlySet<string>;
  readonly initialState: State;
  readonly evolve: (state: State, event: Event, occurrence: Occurrence) => State;
  readonly keys: ReadonlyArray<KeyColumn<State>>;
  readonly contentOf: (id: string, state: State) => RowContent;
  readonly stateOf: (content: RowContent) => State;
};

/** A one-dimensional array as Postgres reads it from text. */
export const arrayLiteral = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
