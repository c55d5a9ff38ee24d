import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

/**
 * Whether it ends, well or not, before so many milliseconds have passed. Where the machine does not let this process run,
 * that holds up both, and of two timers the one that is due first is the first.
 */
export const endsWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  const { clock } = systemRuntime;
  let isOver = false;
  const noted = (): void => void (isOver = true);
  const ended = work.then(noted, noted);
  const leaving = new AbortController();
  // what came meanwhile is read between the timer and the look
  const soon = (): Promise<void> => new Promise((resolve) => void clock.soon(resolve));
  await Promise.race([ended, clock.sleep(ms, leaving.signal).then(soon)]);
  leaving.abort();
  return isOver;
};
