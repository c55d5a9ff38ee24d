import { SILENCE_MS } from '../../event-sourcing/answer-deadline.js';
import type { OnConnectionEvent } from '../../event-sourcing/connection-event.js';
import type { RetryPolicy } from '../../event-sourcing/retry.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';

/** In milliseconds. */
export type Timings = {
  /** How long a call waits for a connection and is retried. */
  readonly timeout: number;
  /** What a call that begins at the end of `timeout` still gets. */
  readonly minimumTimeout: number;
  /** Longest time without a message in a call that has an end. */
  readonly idleTimeout: number;
  /** For one gossip response of a cluster; finding the leader takes two of them at most. */
  readonly gossipTimeout: number;
  /** After this time without a message a subscription is compared with the head. */
  readonly watchdogInterval: number;
  /** Pauses between tries. */
  readonly backoff: Pick<RetryPolicy, 'first' | 'longest'>;
};

/**
 * A call is given up when its caller is, so that a server that is silent for 2 s is waited for; a failure that it sends
 * when it goes on leaves time for a repeat. `timeout` and `minimumTimeout` add up to less than `answerDeadline` gives.
 */
export const defaultTimings: Timings = {
  timeout: SILENCE_MS,
  minimumTimeout: 300,
  idleTimeout: SILENCE_MS,
  gossipTimeout: 700,
  watchdogInterval: 2_500,
  backoff: { first: 200, longest: 1_000 },
};

export type EventStoreDbOptions = {
  readonly runtime: Runtime;
  /** `esdb://`, `kurrentdb://` or another scheme of theirs, as the EventStoreDB client takes it. */
  readonly connectionString: string;
  /** The categories that belong to this service; the database may hold other streams. */
  readonly categories: ReadonlyArray<string>;
  /** Must not throw. */
  readonly onConnectionEvent?: OnConnectionEvent;
  readonly timings?: Partial<Timings>;
};

export type EventStoreDb = LogTarget & {
  /** Ends every call. Later calls fail with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};
