import type { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type { AppendFailure, EventStore, StoreUnavailable } from '../event-store.js';
import type { ExpectedRevision, NewEvent, StreamName } from '../recorded-event.js';

/** Arguments of one `append`. */
export type Append = {
  readonly stream: StreamName;
  readonly expected: ExpectedRevision;
  readonly events: RNEA.ReadonlyNonEmptyArray<NewEvent>;
};

/** The log has a name of its own, and events. */
export type LogNotEmpty = { readonly _tag: 'LogNotEmpty'; readonly identity: string };

/** A store that a whole log can be written into: for copies and imports, never for the service. */
export type LogTarget = EventStore & {
  /**
   * Carries out these appends so that their events stand in the log in this order. Nobody else may write to the log
   * meanwhile. After a failure some may be stored; repeating all of them is safe, as it is with `append`.
   */
  readonly appendInOrder: (appends: ReadonlyArray<Append>) => Promise<E.Either<AppendFailure, void>>;
  /** Gives an empty log the name of the log that it is to be a copy of. */
  readonly adoptIdentity: (identity: string) => Promise<E.Either<StoreUnavailable | LogNotEmpty, void>>;
  /** Whether a restore, a copy or an import into this log has begun and not ended. Nobody else may use the log until then. */
  readonly isBeingRestored: () => Promise<E.Either<StoreUnavailable, boolean>>;
  /** Keeps beside the events that a restore has begun, or that it has ended. */
  readonly markRestore: (state: 'begun' | 'ended') => Promise<E.Either<StoreUnavailable, void>>;
};
