import { Gauge } from 'prom-client';
import type { Readiness } from '../readiness.js';
import type { Metrics } from './metrics.js';

/** A gauge for each check of `/readyz`, made at each scrape: whether it passes. */
export const watchChecks = (
  { registry }: Pick<Metrics, 'registry'>,
  readiness: () => Promise<Pick<Readiness, 'checks'>>,
): void => {
  const passes = new Gauge({
    name: 'readiness_check',
    help: '1 where the check of /readyz passes',
    labelNames: ['check'],
    registers: [],
    async collect() {
      const { checks } = await readiness();
      for (const [check, outcome] of Object.entries(checks)) this.set({ check }, outcome === 'ok' ? 1 : 0);
    },
  });
  registry.registerMetric(passes);
};

/** A gauge for each warning of `/readyz`: whether it is given. */
export const watchWarnings = (
  { registry }: Pick<Metrics, 'registry'>,
  warnings: Readonly<Record<string, () => boolean>>,
): void => {
  const given = new Gauge({
    name: 'readiness_warning',
    help: '1 where /readyz gives the warning',
    labelNames: ['warning'],
    registers: [],
    collect() {
      for (const [warning, isGiven] of Object.entries(warnings)) this.set({ warning }, isGiven() ? 1 : 0);
    },
  });
  registry.registerMetric(given);
};
