import type { either as E } from 'fp-ts';

/** Who made an event happen, and when (ISO 8601, ms, UTC). */
export type Occurrence = { readonly actor: string; readonly at: string };

/**
 * The rules of one entity as pure values: no clock, no ids, no I/O.
 * `evolve` is total: facts are not argued with. `decide` gives no events when the command asks for what already is.
 */
export type Decider<State, Command, Event, Rejection> = {
  readonly initialState: State;
  readonly decide: (command: Command) => (state: State) => E.Either<Rejection, ReadonlyArray<Event>>;
  readonly evolve: (state: State, event: Event, occurrence: Occurrence) => State;
  /** Whether a rejection says that the addressed entity is not there; it goes before every precondition. */
  readonly isAbsence: (rejection: Rejection) => boolean;
};
