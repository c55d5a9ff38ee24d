import type { Config } from '../config.js';
import type { Registry } from '../entities/registry.js';
import type { Decisions } from '../event-sourcing/decisions.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { Logger } from '../infrastructure/logging/logger.js';
import type { Metrics } from '../infrastructure/metrics/metrics.js';
import type { Adapters } from './adapters.js';
import type { Started } from './started.js';

/** What all parts of a service are started with. */
export type ServiceContext = {
  readonly config: Config;
  readonly log: Logger;
  readonly runtime: Runtime;
  readonly adapters: Adapters;
  readonly started: Started;
  readonly metrics: Metrics;
  /** Its projections sign their rows. */
  readonly registry: Registry;
  /** What commands leave for the projector. */
  readonly decisions: Decisions;
};
