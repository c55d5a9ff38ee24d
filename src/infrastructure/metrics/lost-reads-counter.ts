import { Counter } from 'prom-client';
import type { Metrics } from './metrics.js';

/** Counts the reads that were answered and are not in the record, because the database did not take them. */
export const countLostReads = ({ registry }: Pick<Metrics, 'registry'>, lost: () => number): void => {
  const reads = new Counter({
    name: 'access_record_lost_total',
    help: 'Reads that were answered and are not in the record of reads',
    registers: [],
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
  registry.registerMetric(reads);
};
