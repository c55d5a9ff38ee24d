import { pause } from '../../src/event-sourcing/pause.js';
import type { OnEngineEvent } from './engine-event.js';
import { isPassing } from './engine-failure.js';

type Task = {
  readonly projection: string;
  /** What it does, for the event of a fault. */
  readonly name: string;
  readonly onEvent: OnEngineEvent;
};

/**
 * Gives a function that runs one turn of a task which is tried again later anyway. It resolves to whether the turn
 * succeeded: what passes (log or database away, a lease lost) is left to the next turn, and every other error is a fault
 * of ours, reported once until the task succeeds again.
 */
export const makeTurns = ({ projection, name, onEvent }: Task): ((turn: () => Promise<void>) => Promise<boolean>) => {
  let reported: string | undefined;
  return async (turn) => {
    try {
      await turn();
      reported = undefined;
      return true;
    } catch (cause) {
      const message = String(cause);
      if (!isPassing(cause) && message !== reported) {
        reported = message;
        onEvent({ _tag: 'Fault', projection, task: name, cause });
      }
      return false;
    }
  };
};

/** Runs `task` again and again, `ms` after its last end, until the signal aborts. `task` must not reject. */
export const repeat = async (ms: number, signal: AbortSignal, task: () => Promise<unknown>): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await pause(ms, signal);
  }
};
