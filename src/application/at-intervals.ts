import { setTimeout as delay } from 'node:timers/promises';

/** Mean pause before the first run and before each later one, ms; each pause is 0.5 to 1.5 times as long. */
export type Intervals = { readonly first: number; readonly every: number };

const jittered = (ms: number): number => ms * (0.5 + Math.random());

/** Resolves to whether the time has passed; false when `signal` aborts before. */
const elapsed = (ms: number, signal: AbortSignal): Promise<boolean> =>
  // `ref: false`: a process that has nothing else to do may end
  delay(ms, true, { signal, ref: false }).catch(() => false);

/**
 * Runs `task` again and again, never twice at a time, until `signal` aborts; resolves when the last run has ended. The
 * pauses are random, so that processes that were started together do not work at the same time. `task` must not reject.
 */
export const atIntervals = async (
  task: (signal: AbortSignal) => Promise<unknown>,
  { first, every }: Intervals,
  signal: AbortSignal,
): Promise<void> => {
  let wait = first;
  while (await elapsed(jittered(wait), signal)) {
    await task(signal);
    wait = every;
  }
};
