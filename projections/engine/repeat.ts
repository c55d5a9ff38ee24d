import { pause } from '../../src/event-sourcing/pause.js';

/** Runs `task` again and again, `ms` after its last end, until the signal aborts. `task` must not reject. */
export const repeat = async (ms: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await pause(ms, signal);
  }
};
