import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import type { EventStoreDb, EventStoreDbOptions } from '../../../src/infrastructure/eventstoredb/options.js';
import type { Timings } from '../../../src/infrastructure/eventstoredb/timings.js';

/** Short enough for tests, in the proportions of the real ones. */
export const quick: Timings = {
  silence: 300,
  gossip: 150,
  patience: 3_000,
  grace: 100,
  watch: 100,
  pause: 10,
  longestPause: 50,
};

export type OpenedStore = { readonly store: EventStoreDb; readonly connectionEvents: ReadonlyArray<ConnectionEvent> };

export const openStore = (
  connectionString: string,
  { timings = quick, ...options }: Partial<EventStoreDbOptions> = {},
): OpenedStore => {
  const connectionEvents: Array<ConnectionEvent> = [];
  const onConnectionEvent = (event: ConnectionEvent): void => void connectionEvents.push(event);
  const opened = openEventStoreDb({ connectionString, onConnectionEvent, timings, ...options });
  if (E.isLeft(opened)) throw opened.left;
  return { store: opened.right, connectionEvents };
};
