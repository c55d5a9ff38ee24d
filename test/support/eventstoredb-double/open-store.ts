import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import type { EventStoreDb, EventStoreDbOptions, Timings } from '../../../src/infrastructure/eventstoredb/options.js';
import { categoriesOf, registry } from '../../../src/entities/registry.js';

/** As the default ones, but short. */
export const quick: Timings = {
  timeout: 3_000,
  minimumTimeout: 100,
  idleTimeout: 300,
  gossipTimeout: 150,
  watchdogInterval: 100,
  backoff: { first: 20, longest: 100 },
};

export type OpenedStore = { readonly store: EventStoreDb; readonly connectionEvents: ReadonlyArray<ConnectionEvent> };

export const openStore = (
  connectionString: string,
  { timings = quick, categories = categoriesOf(registry), ...options }: Partial<EventStoreDbOptions> = {},
): OpenedStore => {
  const connectionEvents: Array<ConnectionEvent> = [];
  const onConnectionEvent = (event: ConnectionEvent): void => void connectionEvents.push(event);
  const opened = openEventStoreDb({ connectionString, categories, onConnectionEvent, timings, ...options });
  if (E.isLeft(opened)) throw opened.left;
  return { store: opened.right, connectionEvents };
};
