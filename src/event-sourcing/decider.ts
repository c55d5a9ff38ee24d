import type { either as E } from 'fp-ts';

/** Who made an event happen, and when (ISO 8601, ms, UTC). */
export type Occurrence = {
  readonly actor: string;
  readonly at: string;
  /** Its place in the stream. */
  readonly revision: number;
};

/** How events make a state. `evolve` is total: it never rejects a fact. */
export type Fold<State, Event> = {
  readonly initialState: State;
  readonly evolve: (state: State, event: Event, occurrence: Occurrence) => State;
};

/**
 * The rules of one entity as pure values: no clock, no ids, no I/O. `decide` gives no events when the command asks for
 * what already is.
 */
export type Decider<State, Command, Event, Rejection> = Fold<State, Event> & {
  readonly decide: (command: Command) => (state: State) => E.Either<Rejection, ReadonlyArray<Event>>;
  /** Whether a rejection says that the addressed entity is not there; it goes before every precondition. */
  readonly isAbsence: (rejection: Rejection) => boolean;
};
