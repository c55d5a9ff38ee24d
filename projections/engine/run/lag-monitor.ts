import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import type { Comparison } from './comparison.js';
import type { Progress } from './progress.js';

/** Less than `FRESH_MS`, so that rows stay fresh from one poll to the next. */
const POLL_MS = 500;

type LagMonitor = {
  readonly clock: Clock;
  readonly store: EventStore;
  readonly categories: ReadonlyArray<string>;
  readonly progress: Pick<Progress, 'reached' | 'isBehind' | 'forgotten'>;
  readonly comparison: Comparison;
  /** Starts reading the checkpoint of the rows, when another process writes them. */
  readonly refresh: () => void;
};

/**
 * Compares the rows with the head of the log again and again, because another process may have answered the write that
 * they lack. While the log is away nothing is compared, and the last comparison grows old.
 */
export const monitorLag = (
  { clock, store, categories, progress, comparison, refresh }: LagMonitor,
  signal: AbortSignal,
): Promise<void> =>
  repeat(clock, POLL_MS, signal, async () => {
    const asked = comparison.ask();
    const forgotten = progress.forgotten();
    const head = await store.head(categories);
    if (E.isLeft(head)) {
      if (progress.isBehind()) refresh();
      return;
    }
    // of a log that has lost events since
    if (forgotten !== progress.forgotten()) return;
    const position = head.right ?? -1n;
    comparison.answer(asked, position);
    if (position > progress.reached()) refresh();
  });
