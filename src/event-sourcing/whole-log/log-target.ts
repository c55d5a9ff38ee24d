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

/** A store that a log can be written into as a whole. The service itself has no use for it. */
export type LogTarget = EventStore & {
  /**
   * As many `append`s, so that the events stand in the log in this order; for a log that nobody else writes. After a
   * failure some of them may be stored; repeating them all is safe, as it is with `append`.
   */
  readonly appendInOrder: (appends: ReadonlyArray<Append>) => Promise<E.Either<AppendFailure, void>>;
  /** Gives an empty log the name of the log that it is to be a copy of. */
  readonly adoptIdentity: (identity: string) => Promise<E.Either<StoreUnavailable | LogNotEmpty, void>>;
};
