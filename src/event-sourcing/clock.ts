/** Ends a timer. Afterwards, and after its last run, it has no effect. */
export type Cancel = () => void;

export type TimerOptions = {
  /** Whether a process that has nothing else to do ends without waiting for it. Default: no. */
  readonly isBackground?: boolean;
};

/** Time, given by the composition. All durations are ms. */
export type Clock = {
  /** The time of day. Somebody may set it, also back. */
  readonly date: () => Date;
  /** Time since some moment, with fractions. Nobody sets it: durations and deadlines are measured by it. */
  readonly monotonic: () => number;
  /** Processor time that this process has used until now. */
  readonly computed: () => number;
  /** Resolves to true after `ms`, to false as soon as `signal` aborts; never rejects. */
  readonly sleep: (ms: number, signal?: AbortSignal, options?: TimerOptions) => Promise<boolean>;
  /** Runs `task` once, after `ms`. */
  readonly after: (ms: number, task: () => void, options?: TimerOptions) => Cancel;
  /** Runs `task` again and again, every `ms`. */
  readonly every: (ms: number, task: () => void, options?: TimerOptions) => Cancel;
  /** Runs `task` when what has come by now has been read: in the next iteration of the event loop. */
  readonly soon: (task: () => void) => Cancel;
};

/** The `sleep` of a clock with this `after`. */
export const sleepBy =
  (after: Clock['after']): Clock['sleep'] =>
  (ms, signal, options) =>
    new Promise((resolve) => {
      if (signal?.aborted === true) {
        resolve(false);
        return;
      }
      const cut = (): void => {
        cancel();
        resolve(false);
      };
      const wake = (): void => {
        signal?.removeEventListener('abort', cut);
        resolve(true);
      };
      const cancel = after(ms, wake, options);
      signal?.addEventListener('abort', cut, { once: true });
    });

/** Runs `task` repeatedly, `ms` after it last ended, until the signal aborts. `task` must not reject. */
export const repeat = async (
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  task: () => Promise<unknown>,
): Promise<void> => {
  while (!signal.aborted) {
    await task();
    await clock.sleep(ms, signal);
  }
};
