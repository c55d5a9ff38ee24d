import type { OnEngineEvent } from '../../projections/engine/engine-event.js';
import { makeRowsWithoutSpace } from '../infrastructure/disk-space/rows-without-space.js';
import type { DiskSpace } from '../infrastructure/disk-space/disk-space.js';
import { watchDisks } from '../infrastructure/metrics/disk-gauges.js';
import type { Metrics } from '../infrastructure/metrics/metrics.js';

type Disk = Pick<DiskSpace, 'isFull' | 'free'>;

type DiskWarnings = {
  /** For `/readyz`, by the text of the warning: whether that disk is full. */
  readonly warnings: Readonly<Record<string, () => boolean>>;
  /** To be called for every event of the engine. */
  readonly onEngineEvent: OnEngineEvent;
};

/** Makes warnings of full disks, and adds the free space to the metrics. */
export const watchFullDisks = (
  metrics: Metrics,
  { space: database, storage: { space: files } }: { readonly space: Disk; readonly storage: { readonly space?: Disk } },
): DiskWarnings => {
  const rows = makeRowsWithoutSpace();
  const warnings = {
    'disk full: database': () => database.isFull() || rows.any(),
    ...(files === undefined ? {} : { 'disk full: files': files.isFull }),
  };
  watchDisks(metrics, { database, ...(files === undefined ? {} : { files }) });
  return { warnings, onEngineEvent: rows.onEngineEvent };
};
