import { setTimeout as delay } from 'node:timers/promises';

/** Waits `ms`. False when the signal cut the wait short, or had been given before. */
export const pause = async (ms: number, signal: AbortSignal): Promise<boolean> =>
  delay(ms, true, { signal }).catch(() => false);
