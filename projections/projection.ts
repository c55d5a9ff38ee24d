import type { Occurrence } from '../src/event-sourcing/decider.js';
import type { SkippedEvents } from '../src/event-sourcing/passed-over.js';
import type { DomainEvent, Serde } from '../src/event-sourcing/serde.js';
import type { Snapshots } from './snapshot.js';

/** The value of one key column; that of an array column is an array literal (`arrayLiteral`). */
export type Cell = string | null;

/** A column that lists can be filtered or sorted by. */
export type KeyColumnOf<State> = {
  readonly name: string;
  readonly type: 'text' | 'text[]';
  /** The filter of lists (`src/read/queries.ts`) that this column serves. */
  readonly filter?: string;
  /** The order of lists that it serves, where records have a text of their own for it. */
  readonly sort?: string;
  /** Null for a state that lists do not show. */
  cellOf(this: void, state: State): Cell;
};

export type KeyColumn = KeyColumnOf<unknown>;

/**
 * The column of each filter, by the name of the filter, in the order of the table. Begin with those of whose values each
 * is likely to be had by few records: a page by several filters looks first at the records of the first of them.
 */
export type Columns<Filter extends string, State> = Readonly<Record<Filter, Omit<KeyColumnOf<State>, 'filter'>>>;

export const keysOf = <State>(columns: Columns<string, State>): ReadonlyArray<KeyColumnOf<State>> =>
  Object.entries(columns).map(([filter, column]) => ({ ...column, filter }));

/** What a row holds of a state, beside id, revision, creation position and keys. */
export type RowContent = {
  /**
   * The JSON text of the record, without its lifecycle (`src/read/record-body.ts`), which the engine adds; null when the
   * entity has none (not created, deleted).
   */
  readonly body: string | null;
  /** Hidden state: JSON of the part of the state that the body does not show. */
  readonly hidden: string | null;
};

/** The hidden state of an entity of which nothing is left. */
export const HIDDEN_ERASED = '"erased"';

/**
 * One read model: how the state of an entity, as commands have it, becomes a row, and back. For every state that `evolve`
 * can reach and that has a body, `stateOf` gives back what `contentOf` was given; for the others, a state from which
 * later events make the same rows. So the next event of an entity, or a command on it, needs its row and not its stream.
 */
export type ProjectionOf<State, Event extends DomainEvent> = {
  /** What a row stands for. */
  readonly rowFor: 'entity';
  /** Name of the read model, of its view, and the beginning of its tables' names. */
  readonly name: string;
  /** What the names of its streams begin with: `<category>-<id>`. One word without a dash. */
  readonly category: string;
  /**
   * Raised with every change to the fold, the renderer or the hidden state that changes rows and leaves the columns as
   * they are. test/projections/version.test.ts fails when that is forgotten.
   */
  readonly revision: number;
  readonly eventTypes: ReadonlyArray<Event['type']>;
  readonly serde: Serde<Event>;
  /** Events that operators have decided to skip: they raise the revision and change nothing else. */
  readonly skipped?: SkippedEvents;
  /** Without it, no row is signed. */
  readonly snapshots?: Snapshots;
  readonly initialState: State;
  evolve(this: void, state: State, event: Event, occurrence: Occurrence): State;
  readonly keys: ReadonlyArray<KeyColumnOf<State>>;
  /** What a record can be found by the words of. None for a state that lists do not show. */
  textsOf(this: void, state: State): ReadonlyArray<string | null>;
  contentOf(this: void, id: string, state: State): RowContent;
  stateOf(this: void, content: RowContent): State;
};

/**
 * A projection of any kind of entity, as the engine uses it. States are opaque to the engine: it gives a state only to
 * the projection that made it.
 */
export type Projection = ProjectionOf<unknown, DomainEvent>;

/** A one-dimensional array in the text format of Postgres. */
export const arrayLiteral = (values: ReadonlyArray<string>): string =>
  `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
