import type { Notice } from '../../projections/engine/notice.js';
import { makeRowsWithoutSpace } from '../infrastructure/disk-space/rows-without-space.js';
import { watchDisks, watchWarnings } from '../infrastructure/metrics/disk-gauges.js';
import type { Metrics } from '../infrastructure/metrics/metrics.js';
import type { Storage } from '../infrastructure/open-storage.js';
import type { Stores } from '../infrastructure/open-stores.js';

type DiskWarnings = {
  /** By name, for `/readyz`: whether the disk of something takes no more. */
  readonly warnings: Readonly<Record<string, () => boolean>>;
  /** Has to hear what the engine tells. */
  readonly hear: (notice: Notice) => void;
};

/** Joins what is known of the disks into warnings, and both into the metrics. */
export const watchFullDisks = (
  metrics: Metrics,
  { space: database, storage: { space: files } }: Pick<Stores, 'space'> & { readonly storage: Pick<Storage, 'space'> },
): DiskWarnings => {
  const rows = makeRowsWithoutSpace();
  const warnings = {
    'disk full: database': () => database.isFull() || rows.any(),
    ...(files === undefined ? {} : { 'disk full: files': files.isFull }),
  };
  watchDisks(metrics, { database, ...(files === undefined ? {} : { files }) });
  watchWarnings(metrics, warnings);
  return { warnings, hear: rows.hear };
};
