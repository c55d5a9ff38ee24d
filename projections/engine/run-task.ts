import type { OnEngineEvent } from './engine-event.js';
import { isTransient } from './engine-failure.js';

type Task = {
  readonly projection: string;
  /** What it does, for reporting a fault. */
  readonly name: string;
  readonly onEvent: OnEngineEvent;
};

/**
 * Gives a function that runs a periodic task once and resolves to whether it succeeded. A transient failure (log or
 * database away, lease lost) is ignored: the next run tries again. Every other error is a fault of the program,
 * reported once until the task succeeds again.
 */
export const makeTaskRunner = ({
  projection,
  name,
  onEvent,
}: Task): ((task: () => Promise<void>) => Promise<boolean>) => {
  let reported: string | undefined;
  return async (task) => {
    try {
      await task();
      reported = undefined;
      return true;
    } catch (cause) {
      const message = String(cause);
      if (!isTransient(cause) && message !== reported) {
        reported = message;
        onEvent({ _tag: 'Fault', projection, task: name, cause });
      }
      return false;
    }
  };
};
