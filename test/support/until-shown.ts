import type { Progress } from '../../projections/engine/run/progress.js';
import { eventually } from './eventually.js';

/** Whether rows show everything up to a position, after a wait that is longer than that of the response to a write. */
export const untilShown = ({ waitFor }: Pick<Progress, 'waitFor'>, position: bigint): Promise<boolean> =>
  eventually(() => waitFor(position), Boolean);
