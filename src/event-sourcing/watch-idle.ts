import type { Cancel, Clock, TimerOptions } from './clock.js';

type IdleWatch = {
  /** The time begins anew. Without effect once it was stopped. */
  readonly noteProgress: () => void;
  readonly stop: Cancel;
};

/** Calls `onIdle` when `ms` have passed without progress. */
export const watchIdle = (
  clock: Pick<Clock, 'after'>,
  ms: number,
  onIdle: () => void,
  options?: TimerOptions,
): IdleWatch => {
  let isStopped = false;
  let cancel = clock.after(ms, onIdle, options);
  return {
    noteProgress: () => {
      if (isStopped) return;
      cancel();
      cancel = clock.after(ms, onIdle, options);
    },
    stop: () => {
      isStopped = true;
      cancel();
    },
  };
};
