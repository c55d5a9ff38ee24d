import { Gauge } from 'prom-client';
import type { DiskSpace } from '../disk-space/disk-space.js';
import type { Metrics } from './metrics.js';

/** Gauges of the disks that data is kept on, by what is kept there; those of other machines are left out. */
export const watchDisks = (
  { registry }: Pick<Metrics, 'registry'>,
  disks: Readonly<Record<string, Pick<DiskSpace, 'free'>>>,
): void => {
  const free = new Gauge({
    name: 'disk_free_bytes',
    help: 'Bytes free on the disk that something is kept on',
    labelNames: ['kept'],
    registers: [],
    collect() {
      this.reset();
      for (const [kept, disk] of Object.entries(disks)) {
        const bytes = disk.free();
        if (bytes !== undefined) this.set({ kept }, bytes);
      }
    },
  });
  registry.registerMetric(free);
};
