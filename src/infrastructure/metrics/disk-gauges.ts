import { Gauge } from 'prom-client';
import type { DiskSpace } from '../disk-space/disk-space.js';
import type { Metrics } from './metrics.js';

type Watched = Pick<Metrics, 'registry' | 'beforeScrape'>;

/** Gauges of the disks that data is kept on, by what is kept there; those of other machines are left out. */
export const watchDisks = (
  { registry, beforeScrape }: Watched,
  disks: Readonly<Record<string, Pick<DiskSpace, 'free'>>>,
): void => {
  const free = new Gauge({
    name: 'disk_free_bytes',
    help: 'Bytes free on the disk that something is kept on',
    labelNames: ['kept'],
    registers: [registry],
  });
  beforeScrape(() => {
    free.reset();
    for (const [kept, disk] of Object.entries(disks)) {
      const bytes = disk.free();
      if (bytes !== undefined) free.set({ kept }, bytes);
    }
    return Promise.resolve();
  });
};

/** A gauge for each warning of `/readyz`: whether it is given. */
export const watchWarnings = (
  { registry, beforeScrape }: Watched,
  warnings: Readonly<Record<string, () => boolean>>,
): void => {
  const given = new Gauge({
    name: 'readiness_warning',
    help: '1 where /readyz gives the warning',
    labelNames: ['warning'],
    registers: [registry],
  });
  beforeScrape(() => {
    for (const [warning, isGiven] of Object.entries(warnings)) given.set({ warning }, isGiven() ? 1 : 0);
    return Promise.resolve();
  });
};
