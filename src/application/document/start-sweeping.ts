import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import { atIntervals, type Intervals } from '../at-intervals.js';
import type { ClaimFailure } from './claim-storage.js';
import { type SweepDeps, sweepFiles, type Swept } from './sweep-files.js';

/** The first sweep, soon after the start, only marks the storage; then once a day. */
const INTERVALS: Intervals = { first: 60_000, every: 24 * 3_600_000 };

/** `Unexpected`: a fault of this program; the next sweep runs all the same. */
export type SweepFailure = ClaimFailure | { readonly _tag: 'Unexpected'; readonly cause: unknown };

type SweepingDeps = Omit<SweepDeps, 'clock'> & {
  readonly runtime: Runtime;
  readonly onSwept: (outcome: E.Either<SweepFailure, Swept>) => void;
};

/** Sweeps files at intervals, one sweep at a time; `stop` ends a running one and resolves when it has ended. */
export const startSweeping = (
  { runtime, onSwept, ...deps }: SweepingDeps,
  intervals: Intervals = INTERVALS,
): { readonly stop: () => Promise<void> } => {
  const stopping = new AbortController();
  const sweep = sweepFiles({ clock: runtime.clock, ...deps });
  const sweepOnce = async (signal: AbortSignal): Promise<void> => {
    const swept = await attempt(
      () => sweep(signal),
      (cause): SweepFailure => ({ _tag: 'Unexpected', cause }),
    );
    onSwept(E.flattenW(swept));
  };
  const ended = atIntervals(runtime, sweepOnce, intervals, stopping.signal);
  return {
    stop: () => {
      stopping.abort();
      return ended;
    },
  };
};
