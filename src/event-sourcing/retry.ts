import type { Runtime } from './runtime.js';

/** How often, and how long, something that failed is tried again. */
export type RetryPolicy = {
  readonly runtime: Runtime;
  /** Bound of the first pause, ms; it doubles with each further one, up to `longest`. */
  readonly first: number;
  readonly longest: number;
  /** Tries in all. Default: no bound. */
  readonly attempts?: number;
  /** When the last try may begin, of `Clock.monotonic`. Default: never too late. */
  readonly until?: number;
  /** Ends the retries, and the pause under way. */
  readonly signal?: AbortSignal;
};

export type Retry = {
  /** Resolves to true after a pause; to false at once when there is no further try, or when `signal` aborts. */
  readonly again: () => Promise<boolean>;
  /** After progress: counts pauses and tries from the beginning again. */
  readonly reset: () => void;
};

const MOST_DOUBLINGS = 30;

/**
 * The one way of trying again. A pause is drawn between 0 and its bound (full jitter), so that those who failed together
 * do not come back together: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export const makeRetry = ({
  runtime: { clock, random },
  first,
  longest,
  attempts = Infinity,
  until = Infinity,
  signal,
}: RetryPolicy): Retry => {
  let failures = 0;
  return {
    again: () => {
      failures += 1;
      if (failures >= attempts || signal?.aborted === true) return Promise.resolve(false);
      const bound = Math.min(longest, first * 2 ** Math.min(failures - 1, MOST_DOUBLINGS));
      const ms = random.fraction() * bound;
      return clock.monotonic() + ms > until ? Promise.resolve(false) : clock.sleep(ms, signal);
    },
    reset: () => void (failures = 0),
  };
};
