import { Gauge } from 'prom-client';
import type { Metrics } from './metrics.js';

/** A gauge of the last backup, read at each scrape. It has no value where there was none, and where that cannot be read. */
export const watchBackups = (
  { registry, beforeScrape }: Pick<Metrics, 'registry' | 'beforeScrape'>,
  findLast: () => Promise<number | undefined>,
): void => {
  const last = new Gauge({
    name: 'backup_last_success_timestamp_seconds',
    help: 'When a backup of this log was last completed, in seconds since 1970',
    registers: [registry],
  });
  last.remove();
  beforeScrape(async () => {
    const seconds = await findLast().catch(() => undefined);
    if (seconds === undefined) last.remove();
    else last.set(seconds);
  });
};
