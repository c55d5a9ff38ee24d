/** Between two ticks of the clock, ms, when nothing else runs. */
const TICK_MS = 10;

/** What counts of the time between two ticks: more means that the machine did not let this process run. */
const MOST_MS = 50;

/** How long work takes, ms, without the times in which this process stood still. It rejects as the work does. */
export const timeTaken = async (work: () => Promise<unknown>): Promise<number> => {
  let taken = 0;
  let last = performance.now();
  const tick = (): void => {
    const now = performance.now();
    taken += Math.min(now - last, MOST_MS);
    last = now;
  };
  const ticking = setInterval(tick, TICK_MS);
  try {
    await work();
  } finally {
    clearInterval(ticking);
  }
  tick();
  return taken;
};
