import { collectDefaultMetrics } from 'prom-client';
import type { Metrics } from './metrics.js';

/** Adds what the system and Node say of this process: its memory, processor time, files, event loop and garbage collection. */
export const watchProcess = ({ registry }: Pick<Metrics, 'registry'>): void =>
  collectDefaultMetrics({ register: registry });
