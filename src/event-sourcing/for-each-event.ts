import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable, type StreamRange } from './event-store.js';
import type { StreamName } from './recorded-event.js';
import type { DomainEvent, Recorded, Serde, UndecodableEvent } from './serde.js';

export type LoadFailure = StoreUnavailable | UndecodableEvent;

/** Calls `visit` with each decoded event of a stream; when it gives false, stops and releases the read. */
export const forEachEvent = async <Event extends DomainEvent>(
  store: Pick<EventStore, 'readStream'>,
  serde: Serde<Event>,
  stream: StreamName,
  range: StreamRange,
  visit: (recorded: Recorded<Event>) => boolean,
): Promise<E.Either<LoadFailure, void>> => {
  try {
    for await (const page of store.readStream(stream, range)) {
      for (const stored of page) {
        const decoded = serde.decode(stored);
        if (E.isLeft(decoded)) return decoded;
        if (!visit(decoded.right)) return E.right(undefined);
      }
    }
    return E.right(undefined);
  } catch (error) {
    if (error instanceof StoreUnavailable) return E.left(error);
    throw error;
  }
};
