import { either as E } from 'fp-ts';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { Position } from '../../src/event-sourcing/recorded-event.js';
import type { Progress } from './progress.js';
import { repeat } from './repeat.js';

const LOOK_MS = 500;
/** Rows that lack an event for so long are behind. With `LOOK_MS`, less than a write's waiting budget. */
const PATIENCE_MS = 1_000;

/**
 * Compares the head of the log with the rows, so that a process knows that they are behind even when the write was
 * answered by another process: an event seen in the log that is not in the rows a second later is one too many.
 */
export const monitor = (
  store: EventStore,
  category: string,
  progress: Progress,
  /** Has it found out how far the rows are, where this process does not write them itself. */
  refresh: () => void,
  signal: AbortSignal,
): Promise<void> => {
  let seen: { readonly head: Position; readonly at: number } | undefined;

  return repeat(LOOK_MS, signal, async () => {
    const head = await store.head([category])();
    if (E.isLeft(head) || head.right === undefined) return;
    if (head.right > progress.reached()) refresh();
    if (seen !== undefined && seen.head > progress.reached()) {
      if (performance.now() - seen.at >= PATIENCE_MS) progress.expect(seen.head);
      else return;
    }
    seen = { head: head.right, at: performance.now() };
  });
};
