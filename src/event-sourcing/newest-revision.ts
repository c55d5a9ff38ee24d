import type { either as E } from 'fp-ts';
import { attempt } from './attempt.js';
import { asStoreUnavailable, type EventStore, type StoreUnavailable } from './event-store.js';
import type { ExpectedRevision, StreamName } from './recorded-event.js';

/** The revision of a stream's newest event, whatever the event is. */
export const newestRevision = (
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
): Promise<E.Either<StoreUnavailable, ExpectedRevision>> =>
  attempt(async () => {
    const newest = store.readStream(stream, { direction: 'backwards', limit: 1 });
    for await (const [event] of newest) if (event !== undefined) return event.revision;
    return 'no-stream';
  }, asStoreUnavailable);
