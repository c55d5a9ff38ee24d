import { type EventStore, StreamTruncated } from '../event-store.js';
import type { Revision, StoredEvent, StreamName } from '../recorded-event.js';

const AT_ONCE = 500;

/**
 * The events of a stream from a revision on, a few hundred at once, also where a store gathers what it was asked for. Of a
 * stream that was cut in the store, those that it shows. Throws `StoreUnavailable`.
 */
export async function* readInParts(
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  from: Revision,
): AsyncGenerator<StoredEvent, void> {
  let next = from;
  let read: number;
  do {
    read = 0;
    try {
      for await (const page of store.readStream(stream, { direction: 'forwards', from: next, limit: AT_ONCE }))
        for (const event of page) {
          read += 1;
          next = event.revision + 1n;
          yield event;
        }
    } catch (error) {
      if (error instanceof StreamTruncated) return;
      throw error;
    }
  } while (read === AT_ONCE);
}
