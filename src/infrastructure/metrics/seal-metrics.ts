import { Counter, Gauge } from 'prom-client';
import type { CosigningEvent } from '../../sealing/keep-cosigning.js';
import type { SigningEvent } from '../../sealing/keep-signing.js';
import { SEAL_FAULTS } from '../../sealing/sign-tree.js';
import type { UnsignedWatch } from '../../sealing/watch-unsigned.js';
import type { Metrics } from './metrics.js';
import type { Clock } from '../../event-sourcing/clock.js';

/** Metrics of the seal: how many events are under a checkpoint, and why nothing was signed. */
export const countSigning = (
  clock: Clock,
  { registry }: Pick<Metrics, 'registry'>,
): ((event: SigningEvent | CosigningEvent) => void) => {
  const gauge = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] });
  const signed = gauge('seal_signed_events', 'Events under the newest checkpoint that this process has signed');
  const archived = gauge(
    'seal_archived_events',
    'Events under the newest checkpoint that it has put into the file storage',
  );
  const signedAt = gauge('seal_signed_seconds', 'When that checkpoint was signed, in seconds since 1970');
  const cosigned = gauge(
    'seal_cosigned_events',
    'Events under the newest checkpoint that enough witnesses have cosigned',
  );
  const faults = new Counter({
    name: 'seal_faults_total',
    help: 'Trees that were not signed, because they do not extend what was signed before',
    labelNames: ['kind'],
    registers: [registry],
  });
  // a counter that first appears with a 1 shows no increase
  for (const kind of SEAL_FAULTS) faults.inc({ kind }, 0);
  return (event) => {
    if (event._tag === 'Signed') {
      signed.set(event.checkpoint.size);
      signedAt.set(clock.date().getTime() / 1_000);
    }
    if (event._tag === 'Cosigned') cosigned.set(event.checkpoint.size);
    if (event._tag === 'Archived') archived.set(event.checkpoint.size);
    if (event._tag === 'Fault') faults.inc({ kind: event.fault._tag });
  };
};

/** Gauges of every process, made at each scrape: whether events are without a checkpoint, whoever signs. */
export const watchUnsignedEvents = (
  { registry }: Pick<Metrics, 'registry'>,
  { unsignedMs, signed }: Pick<UnsignedWatch, 'unsignedMs' | 'signed'>,
): void => {
  const seconds = new Gauge({
    name: 'seal_unsigned_seconds',
    help: 'For how long there have been events without a checkpoint, as this process has seen it; 0 where there are none',
    registers: [],
    collect() {
      this.set(unsignedMs() / 1_000);
    },
  });
  const events = new Gauge({
    name: 'seal_newest_events',
    help: 'Events under the newest checkpoint in Postgres, as this process has read it',
    registers: [],
    collect() {
      const size = signed();
      if (size === undefined) this.remove();
      else this.set(size);
    },
  });
  for (const gauge of [seconds, events]) registry.registerMetric(gauge);
};
