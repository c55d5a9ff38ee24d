import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Progress } from './progress.js';
import { repeat } from '../repeat.js';

const LOOK_MS = 500;
/** Rows that lack an event for so long are behind. With `LOOK_MS`, less than a write's waiting budget. */
const PATIENCE_MS = 1_000;

type Options = {
  readonly store: EventStore;
  readonly category: string;
  readonly progress: Progress;
  /** Has it found out how far the rows are, where this process does not write them itself. */
  readonly refresh: () => void;
  /** No other process answers writes. */
  readonly isSoleProcess: boolean;
};

/** The head of the log when it was looked at. */
type Look = { readonly head: Position; readonly at: number };

/**
 * Compares the head of the log with the rows, so that a process knows that they are behind even when the write was
 * answered by another process: an event seen in the log that is not in the rows a second later is one too many.
 *
 * While rows stand still, other processes answer writes at once, and no look is quick enough to see these in time. So
 * rows that were found behind are doubted until they have moved, which the others hear as well and wait again, and
 * until they show what a later look has seen.
 */
export const monitor = (
  { store, category, progress, refresh, isSoleProcess }: Options,
  signal: AbortSignal,
): Promise<void> => {
  let lacking: ReadonlyArray<Look> = [];
  let foundBehindAt: Position | undefined;
  let hasMoved = false;

  const findBehind = (head: Position): void => {
    progress.expect(head);
    lacking = [];
    if (isSoleProcess) return;
    progress.doubt();
    foundBehindAt = progress.reached();
    hasMoved = false;
  };

  const lookAgain = (head: Position, stoodAt: Position): void => {
    if (hasMoved) {
      progress.trustFrom(head);
      foundBehindAt = undefined;
    } else hasMoved = progress.reached() > stoodAt;
  };

  return repeat(LOOK_MS, signal, async () => {
    const head = await store.head([category]);
    if (E.isLeft(head) || head.right === undefined) return;
    if (head.right > progress.reached()) refresh();
    if (foundBehindAt !== undefined) {
      lookAgain(head.right, foundBehindAt);
      return;
    }
    const at = performance.now();
    lacking = [...lacking, { head: head.right, at }].filter((look) => look.head > progress.reached());
    const [oldest] = lacking;
    if (oldest !== undefined && at - oldest.at >= PATIENCE_MS) findBehind(head.right);
  });
};
