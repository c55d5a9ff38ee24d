import { pause } from '../../../event-sourcing/pause.js';

/** Waits between half of `ms` and `ms`, so that processes do not come back together; shorter when `signal` aborts. */
export const jitter = (ms: number, signal?: AbortSignal): Promise<boolean> =>
  pause(ms * (0.5 + Math.random() / 2), signal);
