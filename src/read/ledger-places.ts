import type { either as E } from 'fp-ts';
import type { StoredEvent, StreamName } from '../event-sourcing/recorded-event.js';
import type { ReadModelUnavailable } from './queries.js';

/** Where a decision of operators is. */
export type DecisionPlace = { readonly index: number; readonly stream: StreamName; readonly revision: bigint };

/** Where in the ledger, and so in the tree over it, events are. */
export type LedgerPlaces = {
  /** Of a stream's first events, by their revision: at most `count`, fewer while the ledger has fewer of them. */
  readonly ofStream: (
    stream: StreamName,
    count: number,
  ) => Promise<E.Either<ReadModelUnavailable, ReadonlyArray<number>>>;
  /** Of the decisions of operators that concern the record of a stream, those below a place, in the order of the ledger. */
  readonly decisionsAbout: (
    stream: StreamName,
    place: number,
  ) => Promise<E.Either<ReadModelUnavailable, ReadonlyArray<DecisionPlace>>>;
  /** Of one event; undefined where the ledger does not have it. */
  readonly ofEvent: (
    event: Pick<StoredEvent, 'stream' | 'revision'>,
  ) => Promise<E.Either<ReadModelUnavailable, number | undefined>>;
  /** How many events the ledger has below a place: as many as the place says, unless some were removed. */
  readonly below: (place: number) => Promise<E.Either<ReadModelUnavailable, number>>;
};
