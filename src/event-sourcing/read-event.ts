import type { EventStore } from './event-store.js';
import type { StoredEvent, StreamName } from './recorded-event.js';

/** The event at a revision of a stream; undefined when the stream does not reach it. Throws what the log throws. */
export const readEvent = async (
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
  revision: bigint,
  until = Infinity,
): Promise<StoredEvent | undefined> => {
  for await (const [event] of store.readStream(stream, { direction: 'forwards', from: revision, limit: 1, until }))
    return event;
  return undefined;
};

/** The last event of a stream; undefined of one that never was. Throws what the log throws. */
export const readNewestEvent = async (
  store: Pick<EventStore, 'readStream'>,
  stream: StreamName,
): Promise<StoredEvent | undefined> => {
  for await (const [event] of store.readStream(stream, { direction: 'backwards', limit: 1 })) return event;
  return undefined;
};
