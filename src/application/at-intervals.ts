import type { Runtime } from '../event-sourcing/runtime.js';

/** Mean pause before the first run and before each later one, ms; each pause is 0.5 to 1.5 times as long. */
export type Intervals = { readonly first: number; readonly every: number };

/**
 * Runs `task` again and again, never twice at a time, until `signal` aborts; resolves when the last run has ended. The
 * pauses are random, so that processes that were started together do not work at the same time. `task` must not reject.
 */
export const atIntervals = async (
  { clock, random }: Runtime,
  task: (signal: AbortSignal) => Promise<unknown>,
  { first, every }: Intervals,
  signal: AbortSignal,
): Promise<void> => {
  let mean = first;
  while (await clock.sleep(mean * (0.5 + random.fraction()), signal, { isBackground: true })) {
    await task(signal);
    mean = every;
  }
};
