import { pause } from '../../event-sourcing/pause.js';

/** How long the adapter waits for what, in milliseconds. */
export type Timings = {
  /** Longest silence inside a call that has an end. */
  readonly silence: number;
  /** One gossip answer where there are several nodes; a search for the leader asks twice at most. */
  readonly gossip: number;
  /**
   * How long a call waits for a connection and is repeated; what begins within it may take `grace` beyond it. Whoever
   * asks gets an answer within two seconds, be it that the outcome of an append is unknown.
   */
  readonly patience: number;
  /** What a call has at least, however late it begins. */
  readonly grace: number;
  /** Quiet time of a subscription after which its progress is compared with the head; twice without is too much. */
  readonly watch: number;
  /** Pause before the first repetition, with jitter; it doubles up to `longestPause`. */
  readonly pause: number;
  readonly longestPause: number;
};

export const defaultTimings: Timings = {
  silence: 1_500,
  gossip: 700,
  patience: 1_500,
  grace: 300,
  watch: 2_500,
  pause: 100,
  longestPause: 500,
};

/** Pause before repetition `round` (from 0), up to half as long again, so that callers spread out. */
export const pauseOf = ({ pause: first, longestPause }: Timings, round: number): number =>
  Math.min(longestPause, first * 2 ** Math.min(round, 16)) * (1 + Math.random() / 2);

/** What comes first: the promise, or `undefined` after `ms` or when `signal` aborts. */
export const within = async <A>(ms: number, promise: Promise<A>, signal?: AbortSignal): Promise<A | undefined> => {
  const over = new AbortController();
  const giveUp = (): void => over.abort();
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted === true) giveUp();
  try {
    return await Promise.race([promise, pause(ms, over.signal).then(() => undefined)]);
  } finally {
    giveUp();
    signal?.removeEventListener('abort', giveUp);
  }
};
