import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../../src/infrastructure/eventstoredb/event-store.js';
import type { ConnectionEvent } from '../../../src/event-sourcing/connection-event.js';
import type { EventStoreDb, EventStoreDbOptions, Timings } from '../../../src/infrastructure/eventstoredb/options.js';
import { categoriesOf, registry } from '../../../src/entities/registry.js';
import { makeHeard } from '../news.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

/**
 * The double answers from the same process, so where a busy machine stops that process, server and client are silent
 * together: no stop of the machine may pass for the silence of a server. Only the pauses between tries are short.
 */
export const patient: Timings = {
  timeout: 20_000,
  minimumTimeout: 1_000,
  idleTimeout: 10_000,
  gossipTimeout: 10_000,
  watchdogInterval: 2_500,
  backoff: { first: 20, longest: 100 },
};

/**
 * For tests in which the double is silent, so that they notice it soon. They must not count calls: what a busy machine
 * holds up is given up and repeated as well.
 */
export const quick: Timings = { ...patient, minimumTimeout: 100, idleTimeout: 300, watchdogInterval: 100 };

export type OpenedStore = {
  readonly store: EventStoreDb;
  readonly connectionEvents: ReadonlyArray<ConnectionEvent>;
  /** Resolves when so many events of the kind have been reported. */
  readonly reported: (kind: ConnectionEvent['kind'], count?: number) => Promise<unknown>;
};

export const openStore = (
  connectionString: string,
  { timings = patient, categories = categoriesOf(registry), ...options }: Partial<EventStoreDbOptions> = {},
): OpenedStore => {
  const { all: connectionEvents, hear: onConnectionEvent, until } = makeHeard<ConnectionEvent>();
  const opened = openEventStoreDb({
    runtime: systemRuntime,
    connectionString,
    categories,
    onConnectionEvent,
    timings,
    ...options,
  });
  if (E.isLeft(opened)) throw opened.left;
  return {
    store: opened.right,
    connectionEvents,
    reported: (kind, count = 1) => until((all) => all.filter((event) => event.kind === kind).length >= count),
  };
};
