import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.js';

/** A gauge of the feeds that are open in this process. */
export const watchFeeds = ({ registry }: Pick<Metrics, 'registry'>, count: () => number): void => {
  const open = new Gauge({
    name: 'http_feeds_open',
    help: 'Feeds of events that are open',
    registers: [],
    collect() {
      this.set(count());
    },
  });
  registry.registerMetric(open);
};
