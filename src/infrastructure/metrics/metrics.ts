import { either as E } from 'fp-ts';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ProjectionProgress } from '../../application/ports.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { ConnectionEvent } from '../../event-sourcing/connection-event.js';
import { programVersion } from '../program-version.js';
import type { Clock } from '../../event-sourcing/clock.js';

/** One answered request. */
type RequestObservation = {
  readonly operation: string;
  readonly method: string;
  readonly status: number;
  readonly seconds: number;
};

/** What the process counts, in the form that Prometheus scrapes. */
export type Metrics = {
  readonly registry: Registry;
  /** Runs `refresh` before each scrape, which goes on when it rejects. */
  readonly beforeScrape: (refresh: () => Promise<unknown>) => void;
  readonly read: () => Promise<{ readonly contentType: string; readonly body: string }>;
  readonly observeRequest: (observation: RequestObservation) => void;
  readonly countConnectionEvent: (event: ConnectionEvent) => void;
  /** A connection of a client was cut or refused, for one of a few reasons. */
  readonly countCut: (reason: string) => void;
  /** The same store, its appends timed. */
  readonly timeAppends: (store: EventStore) => EventStore;
  /** The same progress. Each wait is timed: it ends when an event that was just appended is in the rows. */
  readonly timeProjection: (readModel: string, progress: ProjectionProgress) => ProjectionProgress;
};

const SHORT = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const LONG = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

export const makeMetrics = (clock: Clock): Metrics => {
  // prom-client's own timers make two closures, and copy the labels, for each time that they take
  const secondsSince = (began: number): number => (clock.monotonic() - began) / 1000;
  const registry = new Registry();
  const registers = [registry];
  const build = new Gauge({
    name: 'business_document_service_build_info',
    help: 'Always 1, with the versions of the program and of Node',
    labelNames: ['version', 'node'],
    registers,
  });
  build.set({ version: programVersion(), node: process.version }, 1);

  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered',
    labelNames: ['operation', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to the last byte of its answer',
    labelNames: ['operation'],
    buckets: LONG,
    registers,
  });
  const appends = new Histogram({
    name: 'event_append_duration_seconds',
    help: 'Time an append to the log took, by what came of it',
    labelNames: ['outcome'],
    buckets: SHORT,
    registers,
  });
  // a counter that first appears with a 1 shows no increase
  appends.zero({ outcome: 'appended' });
  const projections = new Histogram({
    name: 'projection_latency_seconds',
    help: 'Time from an acknowledged append to its row; late: the wait timed out first',
    labelNames: ['read_model', 'outcome'],
    buckets: SHORT,
    registers,
  });
  const connectionEvents = new Counter({
    name: 'event_log_connection_events_total',
    help: 'Events of the connection to the log: losses, reconnects, repeated calls, watchdog firings, events that were lost',
    labelNames: ['kind'],
    registers,
  });
  // an alert sees it grow
  connectionEvents.inc({ kind: 'events-lost' }, 0);

  const cuts = new Counter({
    name: 'http_connections_cut_total',
    help: 'Connections of clients that were cut or refused, by reason',
    labelNames: ['reason'],
    registers,
  });

  const refreshers: Array<() => Promise<unknown>> = [];

  return {
    registry,
    beforeScrape: (refresh) => void refreshers.push(refresh),
    read: async () => {
      await Promise.allSettled(refreshers.map((refresh) => refresh()));
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    observeRequest: ({ operation, method, status, seconds }) => {
      requests.inc({ operation, method, status });
      durations.observe({ operation }, seconds);
    },
    countConnectionEvent: (event) => connectionEvents.inc({ kind: event.kind }),
    countCut: (reason) => cuts.inc({ reason }),
    timeAppends: (store) => ({
      ...store,
      append: async (...append) => {
        const began = clock.monotonic();
        const result = await store.append(...append);
        appends.observe({ outcome: E.isRight(result) ? 'appended' : result.left._tag }, secondsSince(began));
        return result;
      },
    }),
    timeProjection: (readModel, { waitFor, heldMs }) => ({
      heldMs,
      waitFor: async (position, until) => {
        const began = clock.monotonic();
        const isProjected = await waitFor(position, until);
        const outcome = isProjected ? 'projected' : 'late';
        projections.observe({ read_model: readModel, outcome }, secondsSince(began));
        return isProjected;
      },
    }),
  };
};
