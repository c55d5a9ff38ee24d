import type { Progress } from '../../projections/engine/run/progress.js';

/** No promise of the service, only when to give up. */
const LONG_ENOUGH_MS = 30_000;

/** Whether rows show everything up to a position, after a wait that is longer than that of the response to a write. */
export const untilShown = async (
  { waitFor, reached, untilMoved }: Pick<Progress, 'waitFor' | 'reached' | 'untilMoved'>,
  position: bigint,
): Promise<boolean> => {
  const givingUp = AbortSignal.timeout(LONG_ENOUGH_MS);
  // while somebody waits, rows that another process writes are looked at more often
  while (!(await waitFor(position))) {
    if (givingUp.aborted) return false;
    await untilMoved(reached(), givingUp);
  }
  return true;
};
