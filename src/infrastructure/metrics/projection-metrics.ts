import { Counter, Gauge } from 'prom-client';
import type { EngineEvent } from '../../../projections/engine/engine-event.js';
import type { RunningProjection } from '../../../projections/engine/run/start-projection.js';
import type { Projections } from '../../../projections/engine/run/start-projections.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { checkpointAt } from '../../event-sourcing/recorded-event.js';
import { lagOf } from './lag.js';
import type { Metrics } from './metrics.js';
import type { Clock } from '../../event-sourcing/clock.js';

type Watched = Pick<Metrics, 'registry' | 'beforeScrape'>;

/**
 * Gauges of the read models, read before each scrape: the lag of the live rows, by the process that writes them, and by
 * every process while nobody does; parked entities. A value that cannot be read then is left out of the scrape.
 */
export const watchProjections = (
  clock: Clock,
  { registry, beforeScrape }: Watched,
  store: EventStore,
  { all, parked }: Pick<Projections, 'all' | 'parked'>,
): void => {
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['read_model'], registers: [registry] });
  const up = gauge('projection_up', '1 where this process writes the live rows');
  const lagEvents = gauge('projection_lag_events', 'Events of the log that the rows lack, counted up to 10,000');
  const lagSeconds = gauge('projection_lag_seconds', 'Age of the oldest event that the rows lack');
  const parkedEntities = gauge('projection_parked_entities', 'Entities whose events cannot be projected');

  const refreshLag = async ({ name, categories, status }: RunningProjection): Promise<void> => {
    const { projector, reached, isUnwritten } = status();
    // rows that are not live are read by nobody: their lag is no lag
    const written = projector._tag === 'Projecting' && projector.role === 'live' ? projector : undefined;
    up.set({ read_model: name }, written === undefined ? 0 : 1);
    if (written === undefined && !isUnwritten) return;
    const checkpoint = written?.checkpoint ?? (reached < 0n ? 'start' : checkpointAt(reached));
    const { events, seconds } = await lagOf(store, categories, checkpoint, clock.date());
    lagEvents.set({ read_model: name }, events);
    lagSeconds.set({ read_model: name }, seconds);
  };
  const refreshParked = async (): Promise<void> => {
    const counts = await parked();
    for (const { name } of all) parkedEntities.set({ read_model: name }, counts[name] ?? 0);
  };

  beforeScrape(() => {
    for (const metric of [lagEvents, lagSeconds, parkedEntities]) metric.reset();
    return Promise.allSettled([...all.map(refreshLag), refreshParked()]);
  });
};

/** Counts faults of the program in tasks of the engine; the tasks go on. */
export const makeFaultCounter = ({ registry }: Pick<Metrics, 'registry'>): ((event: EngineEvent) => void) => {
  const faults = new Counter({
    name: 'projection_task_faults_total',
    help: 'Faults of the program in tasks of the projection engine; the log has their stacks',
    labelNames: ['read_model', 'task'],
    registers: [registry],
  });
  return (event) => {
    if (event._tag === 'Fault') faults.inc({ read_model: event.projection, task: event.task });
  };
};

/** A counter of rows by read model. */
const makeRowCounter = (
  { registry }: Pick<Metrics, 'registry'>,
  readModels: ReadonlyArray<string>,
  counter: { readonly name: string; readonly help: string },
): ((readModel: string) => void) => {
  const rows = new Counter({ ...counter, labelNames: ['read_model'], registers: [registry] });
  // a counter that first appears with a 1 shows no increase
  for (const readModel of readModels) rows.inc({ read_model: readModel }, 0);
  return (readModel) => rows.inc({ read_model: readModel });
};

/** Counts rows that were found to differ from a fold of their streams. */
export const makeDriftCounter = (metrics: Pick<Metrics, 'registry'>, readModels: ReadonlyArray<string>) =>
  makeRowCounter(metrics, readModels, {
    name: 'projection_drift_total',
    help: 'Rows that were found to differ from a fold of their streams',
  });

/** A gauge of the rows that are known to differ now, read at each scrape. */
export const watchDriftedRows = (
  { registry }: Pick<Metrics, 'registry'>,
  readModels: ReadonlyArray<string>,
  drifted: (readModel: string) => number,
): void => {
  const rows = new Gauge({
    name: 'projection_drifted_rows',
    help: 'Rows that are known to differ from a fold of their streams now, counted up to 1,000',
    labelNames: ['read_model'],
    registers: [],
    collect() {
      for (const readModel of readModels) this.set({ read_model: readModel }, drifted(readModel));
    },
  });
  registry.registerMetric(rows);
};

/** Counts rows that were found to show more events than their streams hold. */
export const makeAheadCounter = (metrics: Pick<Metrics, 'registry'>, readModels: ReadonlyArray<string>) =>
  makeRowCounter(metrics, readModels, {
    name: 'projection_ahead_total',
    help: 'Rows that were found to show events which the log does not hold any more',
  });
