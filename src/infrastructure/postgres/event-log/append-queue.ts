import { either as E } from 'fp-ts';
import { appendBytes, rejection } from '../../../event-sourcing/append-limits.js';
import {
  type Appended,
  type AppendFailure,
  type MayAppend,
  StoreUnavailable,
} from '../../../event-sourcing/event-store.js';
import type { Append } from '../../../event-sourcing/whole-log/log-target.js';
import type { Clock } from '../../../event-sourcing/clock.js';

/** An append that waits for its answer. `since`: when it came, `until`: when it is given up, both of `Clock.monotonic`. */
export type PendingAppend = Append & {
  readonly bytes: number;
  readonly since: number;
  readonly until: number;
  readonly mayAppend?: MayAppend | undefined;
  readonly answer: (outcome: E.Either<AppendFailure, Appended>) => void;
};

type AppendLimits = {
  /** Appends of one batch, and their size together. */
  readonly batch: number;
  readonly batchBytes: number;
  /** Appends that may wait, and their size together; further ones fail at once. */
  readonly waiting: number;
  readonly waitingBytes: number;
};

export const defaultAppendLimits: AppendLimits = {
  batch: 128,
  batchBytes: 4 * 1024 * 1024,
  waiting: 10_000,
  waitingBytes: 64 * 1024 * 1024,
};

export type AppendQueue = {
  readonly add: (append: Append, until?: number, mayAppend?: MayAppend) => Promise<E.Either<AppendFailure, Appended>>;
  /** Further appends fail; resolves when those that wait have been answered. */
  readonly close: () => Promise<void>;
};

/**
 * Gathers appends into batches without waiting for more to come: a batch is what has arrived while the one before it
 * was under way. It starts with `Clock.soon`, so that requests that are read in one turn of the event loop share it.
 */
export const makeAppendQueue = (
  clock: Pick<Clock, 'monotonic' | 'soon'>,
  commit: (batch: ReadonlyArray<PendingAppend>) => Promise<void>,
  limits: AppendLimits = defaultAppendLimits,
): AppendQueue => {
  /** Pushed to in place: to copy it for each append would cost a millisecond when many arrive at once. */
  let waiting: Array<PendingAppend> = [];
  let waitingBytes = 0;
  let isClosed = false;
  let running: Promise<void> | undefined;

  /** From the front, one append of each stream: a second one depends on the outcome of the first. */
  const nextBatch = (): ReadonlyArray<PendingAppend> => {
    const batch = new Map<string, PendingAppend>();
    const later: Array<PendingAppend> = [];
    let bytes = 0;
    let seen = 0;
    for (const append of waiting) {
      if (batch.size === limits.batch || (batch.size > 0 && bytes + append.bytes > limits.batchBytes)) break;
      seen += 1;
      if (batch.has(append.stream)) later.push(append);
      else {
        batch.set(append.stream, append);
        bytes += append.bytes;
      }
    }
    waiting = [...later, ...waiting.slice(seen)];
    waitingBytes -= bytes;
    return [...batch.values()];
  };

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise<void>((resolve) => clock.soon(resolve));
      await commit(nextBatch());
    }
    running = undefined;
  };

  const failureAtOnce = (events: Append['events'], bytes: number): AppendFailure | undefined => {
    if (isClosed) return new StoreUnavailable('the event log is closed');
    if (waiting.length >= limits.waiting || waitingBytes + bytes > limits.waitingBytes)
      return new StoreUnavailable('too many appends wait for the event log');
    return rejection(events, bytes);
  };

  const add: AppendQueue['add'] = ({ stream, expected, events }, until = Infinity, mayAppend) => {
    const bytes = appendBytes(events);
    const failure = failureAtOnce(events, bytes);
    if (failure !== undefined) return Promise.resolve(E.left(failure));
    return new Promise((answer) => {
      waiting.push({ stream, expected, events, bytes, since: clock.monotonic(), until, mayAppend, answer });
      waitingBytes += bytes;
      running ??= run();
    });
  };

  return {
    add,
    close: async () => {
      isClosed = true;
      await running;
    },
  };
};
