import { Counter } from 'prom-client';
import { FILE_FAULTS, type FileFault } from '../../read/file-fault.js';
import type { Metrics } from './metrics.js';

/** Counts files that were asked for and are not as their events say. */
export const makeFileFaultCounter = ({ registry }: Pick<Metrics, 'registry'>): ((fault: FileFault) => void) => {
  const faults = new Counter({
    name: 'file_faults_total',
    help: 'Files that were asked for and are missing in the storage, or differ from what their events say',
    labelNames: ['kind'],
    registers: [registry],
  });
  // a counter that first appears with a 1 shows no increase
  for (const kind of FILE_FAULTS) faults.inc({ kind }, 0);
  return ({ kind }) => faults.inc({ kind });
};
