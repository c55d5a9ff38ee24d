import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { type Clock, repeat } from '../../../src/event-sourcing/clock.js';
import { withTimeout } from '../../../src/event-sourcing/with-timeout.js';
import type { Comparison } from './comparison.js';
import type { Progress } from './progress.js';

/** Less than `FRESH_MS`, so that rows stay fresh from one poll to the next. */
const POLL_MS = 500;
/** How long an answer waits for a comparison. */
const ASKED_MS = 300;

type LagDeps = {
  readonly clock: Clock;
  readonly store: EventStore;
  readonly categories: ReadonlyArray<string>;
  readonly progress: Pick<Progress, 'reached' | 'forgotten'>;
  /** Whether the rows may lack what this process has answered or shown. */
  readonly isLacking: () => boolean;
  readonly comparison: Comparison;
  /** Starts reading the checkpoint of the rows, when another process writes them. */
  readonly refresh: () => void;
};

type LagMonitor = {
  /** Has the rows compared anew; resolves when they are, or when the log has not answered for 0.3 s. Never rejects. */
  readonly compare: () => Promise<unknown>;
  readonly stopped: Promise<void>;
};

/**
 * Compares the rows with the head of the log again and again until `signal` aborts, because another process may have answered
 * the write that they lack. While the log is away nothing is compared, and the last comparison grows old.
 */
export const monitorLag = (
  { clock, store, categories, progress, isLacking, comparison, refresh }: LagDeps,
  signal: AbortSignal,
): LagMonitor => {
  const look = async (): Promise<void> => {
    const asked = comparison.ask();
    const forgotten = progress.forgotten();
    const head = await store.head(categories);
    if (E.isLeft(head)) {
      if (isLacking()) refresh();
      return;
    }
    // of a log that has lost events since
    if (forgotten !== progress.forgotten()) return;
    const position = head.right ?? -1n;
    comparison.answer(asked, position);
    if (position > progress.reached()) refresh();
  };

  /** Once more where this process stood still: what came meanwhile is of before, and others have changed the rows since. */
  const lookAwake = async (): Promise<void> => {
    const began = clock.monotonic();
    await withTimeout(clock, ASKED_MS, look());
    if (clock.monotonic() - began >= 2 * ASKED_MS) await withTimeout(clock, ASKED_MS, look());
  };

  // one for all who ask at the same time; the next one does not wait for a log that is silent
  let current: { readonly began: number; readonly ends: Promise<unknown> } | undefined;
  const compare = (): Promise<unknown> => {
    const now = clock.monotonic();
    if (current === undefined || now - current.began >= ASKED_MS) current = { began: now, ends: lookAwake() };
    return current.ends;
  };
  return { compare, stopped: repeat(clock, POLL_MS, signal, look) };
};
