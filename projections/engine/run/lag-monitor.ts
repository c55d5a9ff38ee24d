import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { repeat } from '../run-task.js';
import type { Progress } from './progress.js';

const POLL_MS = 500;
/** Rows that lack an event for so long lag. With `POLL_MS`, less than a write's waiting budget. */
const LAG_MS = 1_000;

type LagMonitor = {
  readonly store: EventStore;
  readonly category: string;
  readonly progress: Progress;
  /** Has it found out how far the rows are, where this process does not write them itself. */
  readonly refresh: () => void;
  /** No other process answers writes. */
  readonly isSoleProcess: boolean;
};

/** The head of the log when it was read. */
type Head = { readonly position: Position; readonly at: number };

type State =
  /** `unshown`: heads that the rows do not show yet. */
  | { readonly _tag: 'Following'; readonly unshown: ReadonlyArray<Head> }
  /** The rows were at `reached` when they were found to lag. */
  | { readonly _tag: 'Lagging'; readonly reached: Position; readonly hasAdvanced: boolean };

const following: State = { _tag: 'Following', unshown: [] };

/**
 * Compares the head of the log with the rows, so that a process knows that they lag even when a write was answered by
 * another process: an event that was in the log a second ago must be in the rows.
 *
 * While rows stand still, other processes answer writes without waiting, and no poll sees those in time. So once rows
 * lag, this process stops serving from them, and serves again when the projector has advanced (the other processes hear
 * that, too, and wait for it again) and has passed the head that is read then. A sole process knows its own writes.
 */
export const monitorLag = (
  { store, category, progress, refresh, isSoleProcess }: LagMonitor,
  signal: AbortSignal,
): Promise<void> => {
  let state: State = following;

  const afterPoll = (head: Position): State => {
    if (state._tag === 'Lagging') {
      if (!state.hasAdvanced) return { ...state, hasAdvanced: progress.reached() > state.reached };
      progress.confirm(head);
      return following;
    }
    const at = performance.now();
    const unshown = [...state.unshown, { position: head, at }].filter(({ position }) => position > progress.reached());
    const [oldest] = unshown;
    if (oldest === undefined || at - oldest.at < LAG_MS) return { _tag: 'Following', unshown };
    progress.requireUntil(head);
    if (isSoleProcess) return following;
    progress.requireConfirmation();
    return { _tag: 'Lagging', reached: progress.reached(), hasAdvanced: false };
  };

  return repeat(POLL_MS, signal, async () => {
    const head = await store.head([category]);
    if (E.isLeft(head) || head.right === undefined) return;
    if (head.right > progress.reached()) refresh();
    state = afterPoll(head.right);
  });
};
