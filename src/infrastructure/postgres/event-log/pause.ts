import { setTimeout as wait } from 'node:timers/promises';

/** Waits between half of `ms` and `ms`; shorter when `signal` aborts. */
export const jitter = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await wait(ms * (0.5 + Math.random() / 2), undefined, signal && { signal }).catch(() => undefined);
};
