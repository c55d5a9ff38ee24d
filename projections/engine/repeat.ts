import { setTimeout as delay } from 'node:timers/promises';

/** Waits, or less when the signal aborts. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // aborted: the caller looks at the signal
  }
};

/** Runs `task` again and again, `ms` after its last end, until the signal aborts. `task` must not reject. */
export const repeat = async (ms: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await pause(ms, signal);
  }
};
