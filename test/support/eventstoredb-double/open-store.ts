import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import type { Incident } from '../../../src/infrastructure/eventstoredb/incident.js';
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

export type OpenedStore = { readonly store: EventStoreDb; readonly incidents: ReadonlyArray<Incident> };

export const openStore = (
  connectionString: string,
  { timings = quick, ...options }: Partial<EventStoreDbOptions> = {},
): OpenedStore => {
  const incidents: Array<Incident> = [];
  const onIncident = (incident: Incident): void => void incidents.push(incident);
  const opened = openEventStoreDb({ connectionString, onIncident, timings, ...options });
  if (E.isLeft(opened)) throw opened.left;
  return { store: opened.right, incidents };
};
