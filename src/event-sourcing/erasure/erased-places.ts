import { type KeyPath, keyPath, recordPath } from '../encryption/key-tree.js';
import type { StreamName } from '../recorded-event.js';
import type { ErasedEvents } from './erased-events.js';

/** The places of the keys that an erasure of these events of a stream destroys. */
export const erasedPlaces = (stream: StreamName, events: ErasedEvents): ReadonlyArray<KeyPath> => {
  if (events === 'all') return [recordPath(stream)];
  return events.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, at) => keyPath(stream, BigInt(first + at))),
  );
};
