import { Gauge } from 'prom-client';
import type { Projections } from '../../../projections/engine/live/start-projections.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { lagOf } from './lag.js';
import type { Metrics } from './metrics.js';

const categories = { businesses: 'business', documents: 'document' } as const;
type ReadModel = keyof typeof categories;
const readModels: ReadonlyArray<ReadModel> = ['businesses', 'documents'];

/**
 * Gauges of the read models, asked for before each scrape: lag where this process projects, parked entities. What
 * cannot be asked just then is left out of the scrape.
 */
export const watchProjections = (
  { registry, beforeScrape }: Pick<Metrics, 'registry' | 'beforeScrape'>,
  store: EventStore,
  { status, parked }: Pick<Projections, 'status' | 'parked'>,
): void => {
  const gauge = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['read_model'], registers: [registry] });
  const up = gauge('projection_up', '1 where this process projects');
  const lagEvents = gauge('projection_lag_events', 'Events of the log that the rows lack, counted up to 10,000');
  const lagSeconds = gauge('projection_lag_seconds', 'Age of the oldest event that the rows lack');
  const waiting = gauge('projection_parked_entities', 'Entities whose events cannot be projected');

  const refreshLag = async (readModel: ReadModel): Promise<void> => {
    const { activity } = status()[readModel];
    up.set({ read_model: readModel }, activity._tag === 'Projecting' ? 1 : 0);
    if (activity._tag !== 'Projecting') return;
    const { events, seconds } = await lagOf(store, categories[readModel], activity.checkpoint, new Date());
    lagEvents.set({ read_model: readModel }, events);
    lagSeconds.set({ read_model: readModel }, seconds);
  };
  const refreshParked = async (): Promise<void> => {
    const counts = await parked();
    for (const readModel of readModels) waiting.set({ read_model: readModel }, counts[readModel] ?? 0);
  };

  beforeScrape(() => {
    for (const metric of [lagEvents, lagSeconds, waiting]) metric.reset();
    return Promise.allSettled([...readModels.map(refreshLag), refreshParked()]);
  });
};
