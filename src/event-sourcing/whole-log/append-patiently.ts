import { either as E } from 'fp-ts';
import type { AppendFailure } from '../event-store.js';
import { pause } from '../pause.js';
import type { Append, LogTarget } from './log-target.js';

/** How long a target may be away before a copy gives up, and between two attempts, ms. */
const PATIENCE = 60_000;
const PAUSE = 1_000;

/** `appendInOrder`, repeated while the target is away: an election or a restart must not end the copy of hours. */
export const appendPatiently = async (
  target: LogTarget,
  appends: ReadonlyArray<Append>,
  signal: AbortSignal,
): Promise<E.Either<AppendFailure, void>> => {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const outcome = await target.appendInOrder(appends);
    const isAway = E.isLeft(outcome) && outcome.left._tag === 'StoreUnavailable';
    if (!isAway || signal.aborted || performance.now() + PAUSE > until) return outcome;
    await pause(PAUSE, signal);
  }
};
