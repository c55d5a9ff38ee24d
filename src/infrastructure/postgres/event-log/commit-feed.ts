import type { Position, StoredEvent } from '../../../event-sourcing/recorded-event.js';

/** What one commit of this process added to the log: all events after `prev`, up to and including `head`. */
export type Committed = {
  readonly prev: Position;
  readonly head: Position;
  readonly events: ReadonlyArray<StoredEvent>;
  readonly bytes: number;
};

/** A slice of the log: all events after the cursor it was asked for, up to and including `head`. */
export type LogSlice = { readonly events: ReadonlyArray<StoredEvent>; readonly head: Position };

/** Gives subscribers the commits of this process from memory, and wakes them when other processes commit. */
export type CommitFeed = {
  /** The newest head that this process has heard of. */
  readonly head: () => Position;
  readonly publish: (commit: Committed) => void;
  /** A commit whose events are not in memory, for instance that of another process. */
  readonly raise: (head: Position) => void;
  /** What follows `cursor` without a gap, as far as it is in memory; undefined when nothing is. */
  readonly after: (cursor: Position) => LogSlice | undefined;
  /** Resolves when the log has grown beyond `cursor`, or when `signal` aborts. */
  readonly grown: (cursor: Position, signal: AbortSignal) => Promise<void>;
};

type FeedLimits = {
  /** Commits held in memory for subscribers that are a little behind, and their size together. */
  readonly commits: number;
  readonly bytes: number;
  /** Events after which a slice ends. */
  readonly slice: number;
};

const defaultLimits: FeedLimits = { commits: 64, bytes: 16 * 1024 * 1024, slice: 500 };

export const makeCommitFeed = (limits: FeedLimits = defaultLimits): CommitFeed => {
  const buffered: Array<Committed> = [];
  const waiting = new Set<() => void>();
  let bufferedBytes = 0;
  let head = 0n;

  const raise = (to: Position): void => {
    if (to <= head) return;
    head = to;
    for (const wake of [...waiting]) wake();
  };

  const publish = (commit: Committed): void => {
    buffered.push(commit);
    bufferedBytes += commit.bytes;
    while (buffered.length > limits.commits || bufferedBytes > limits.bytes)
      bufferedBytes -= buffered.shift()?.bytes ?? bufferedBytes;
    raise(commit.head);
  };

  const after = (cursor: Position): LogSlice | undefined => {
    let index = buffered.findIndex(({ prev }) => prev === cursor);
    if (index < 0) return undefined;
    const events: Array<StoredEvent> = [];
    let end = cursor;
    for (let next = buffered[index]; next?.prev === end && events.length < limits.slice; next = buffered[++index]) {
      events.push(...next.events);
      end = next.head;
    }
    return { events, head: end };
  };

  const grown = (cursor: Position, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        if (head <= cursor && !signal.aborted) return;
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
      wake();
    });

  return { head: () => head, publish, raise, after, grown };
};
