import { Counter } from 'prom-client';
import type { Metrics } from './metrics.js';

/** Counts the lines of the log that standard output did not take. */
export const countLostLines = ({ registry }: Pick<Metrics, 'registry'>, lost: () => number): void => {
  const lines = new Counter({
    name: 'log_lines_lost_total',
    help: 'Lines of the log that were lost, because standard output did not take them',
    registers: [],
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
  registry.registerMetric(lines);
};
