import { Counter, Gauge } from 'prom-client';
import type { Clock } from '../../event-sourcing/clock.js';
import { FAULT_KINDS, type FaultKind } from '../../event-sourcing/whole-log/log-fault.js';
import type { Metrics } from './metrics.js';

/** Metrics of the verification that goes on all the time. */
export const makeVerificationMetrics = (clock: Pick<Clock, 'date'>, { registry }: Pick<Metrics, 'registry'>) => {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
  const verified = gauge('log_verification_events', 'Events of the log that the running pass has verified');
  const index = gauge('log_verification_index', 'Index of the ledger that the running pass has come to');
  const ended = gauge(
    'log_verification_ended_seconds',
    'When the last pass ended that compared everything, in seconds since 1970',
  );
  const faults = new Counter({
    name: 'log_verification_faults_total',
    help: 'Faults that were found in the log and what is kept of it, again in every pass',
    labelNames: ['kind'],
    registers: [registry],
  });
  // a counter that first appears with a 1 shows no increase
  for (const kind of FAULT_KINDS) faults.inc({ kind }, 0);
  return {
    countFault: (kind: FaultKind): void => faults.inc({ kind }),
    setProgress: (events: number, reached: number): void => {
      verified.set(events);
      index.set(reached);
    },
    passEnded: ({ isWhole }: { readonly isWhole: boolean }): void => {
      if (isWhole) ended.set(clock.date().getTime() / 1_000);
    },
  };
};
