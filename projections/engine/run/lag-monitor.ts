import { either as E } from 'fp-ts';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { repeat } from '../run-task.js';
import type { Progress } from './progress.js';

const POLL_MS = 500;
/** Rows lag when they lack an event for so long. With `POLL_MS` this is less than a write waits for its row. */
const LAG_MS = 1_000;

type LagMonitor = {
  readonly store: EventStore;
  readonly categories: ReadonlyArray<string>;
  readonly progress: Progress;
  /** Starts reading the checkpoint of the rows, when another process writes them. */
  readonly refresh: () => void;
  /** Whether no other process serves commands. */
  readonly isSoleProcess: boolean;
};

/** The head of the log when it was read. */
type Head = { readonly position: Position; readonly at: number };

type State =
  /** `unshown`: heads of the log that the rows have not reached yet. */
  | { readonly _tag: 'Following'; readonly unshown: ReadonlyArray<Head> }
  /** `reached`: position of the rows when they were found to lag. */
  | { readonly _tag: 'Lagging'; readonly reached: Position; readonly hasAdvanced: boolean };

const following: State = { _tag: 'Following', unshown: [] };

/**
 * Compares the rows with the head of the log, because another process may have answered the write that they lack. An
 * event that was in the log a second ago must be in the rows; otherwise they lag.
 *
 * While rows lag, other processes answer writes without waiting for them, and a poll would see such a write too late.
 * So once rows lag, this process stops serving from them. It serves again when the projector has advanced (then the
 * other processes wait for the rows again) and has passed the head that is read then. A sole process needs no such
 * care: it knows its own writes.
 */
export const monitorLag = (
  { store, categories, progress, refresh, isSoleProcess }: LagMonitor,
  signal: AbortSignal,
): Promise<void> => {
  let state: State = following;

  const afterPoll = (head: Position): State => {
    if (state._tag === 'Lagging') {
      if (!state.hasAdvanced) return { ...state, hasAdvanced: progress.reached() !== state.reached };
      progress.confirm(head);
      return following;
    }
    const at = performance.now();
    // a head that is above the newest one was lost
    const unshown = [...state.unshown, { position: head, at }].filter(
      ({ position }) => position > progress.reached() && position <= head,
    );
    const [oldest] = unshown;
    if (oldest === undefined || at - oldest.at < LAG_MS) return { _tag: 'Following', unshown };
    progress.requireUntil(head);
    if (isSoleProcess) return following;
    progress.requireConfirmation();
    return { _tag: 'Lagging', reached: progress.reached(), hasAdvanced: false };
  };

  return repeat(POLL_MS, signal, async () => {
    const head = await store.head(categories);
    if (E.isLeft(head) || head.right === undefined) return;
    if (head.right > progress.reached()) refresh();
    state = afterPoll(head.right);
  });
};
