import { Counter } from 'prom-client';
import type { Metrics } from './metrics.js';

/** Counts rows that were found not to be what their streams make. */
export const makeDriftCounter = (
  { registry }: Pick<Metrics, 'registry'>,
  readModels: ReadonlyArray<string>,
): ((readModel: string) => void) => {
  const drifts = new Counter({
    name: 'projection_drift_total',
    help: 'Rows that were found not to be what their streams make',
    labelNames: ['read_model'],
    registers: [registry],
  });
  // a counter that begins at its first fault shows no rise
  for (const readModel of readModels) drifts.inc({ read_model: readModel }, 0);
  return (readModel) => drifts.inc({ read_model: readModel });
};
