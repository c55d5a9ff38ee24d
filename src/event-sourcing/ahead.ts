import { either as E } from 'fp-ts';
import type { EventStore, StoreUnavailable } from './event-store.js';
import { type ExpectedRevision, nextRevision, type Revision, type StreamName } from './recorded-event.js';

/**
 * A row shows revision `shown` of a stream whose newest is `newest`, below it: events were removed from the log, which
 * never happens in a log that is whole.
 */
export type Ahead = { readonly shown: Revision; readonly newest: ExpectedRevision };

/** `projection`: name of the read model that has the row. */
export type RowAhead = Ahead & { readonly projection: string; readonly stream: StreamName };

export const isAhead = ({ shown, newest }: Ahead): boolean => shown >= nextRevision(newest);

/**
 * Whether a row that was read before this call is ahead of its stream; undefined when it is not. A row is made from
 * what the log has shown, and this read shows all that the log has acknowledged: so a row that is ahead of what is read
 * after it is ahead for good, however far other readers of the log are behind.
 */
export const findAhead = async (
  store: Pick<EventStore, 'newestRevision'>,
  stream: StreamName,
  shown: Revision,
  until?: number,
): Promise<E.Either<StoreUnavailable, Ahead | undefined>> =>
  E.map((newest: ExpectedRevision) => (isAhead({ shown, newest }) ? { shown, newest } : undefined))(
    await store.newestRevision(stream, until),
  );
