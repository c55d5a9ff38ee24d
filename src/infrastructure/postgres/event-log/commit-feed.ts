import type { Position, StoredEvent } from '../../../event-sourcing/recorded-event.js';

/** What one commit of this process added to the log: everything after `prev`, up to and including `head`. */
export type Committed = {
  readonly prev: Position;
  readonly head: Position;
  readonly events: ReadonlyArray<StoredEvent>;
  readonly bytes: number;
};

/** A slice of the log: all events after the cursor it was asked for, up to and including `head`. */
export type LogSlice = { readonly events: ReadonlyArray<StoredEvent>; readonly head: Position };

/** Hands the commits of this process to its subscribers in memory, and wakes them for those of others. */
export type CommitFeed = {
  /** The newest head that this process has heard of. */
  readonly head: () => Position;
  readonly publish: (commit: Committed) => void;
  /** Somebody else's commit, or one whose events are not at hand. */
  readonly raise: (head: Position) => void;
  /** What follows `cursor` without a gap, as far as it is kept here. */
  readonly after: (cursor: Position) => LogSlice | undefined;
  /** Settles when the log has grown beyond `cursor`, or when `signal` aborts. */
  readonly grown: (cursor: Position, signal: AbortSignal) => Promise<void>;
};

type FeedLimits = {
  /** Commits kept for subscribers that are a little behind, and their size together. */
  readonly commits: number;
  readonly bytes: number;
  /** Events after which a slice ends. */
  readonly slice: number;
};

const defaultLimits: FeedLimits = { commits: 64, bytes: 16 * 1024 * 1024, slice: 500 };

export const makeCommitFeed = (limits: FeedLimits = defaultLimits): CommitFeed => {
  const kept: Array<Committed> = [];
  const waiting = new Set<() => void>();
  let keptBytes = 0;
  let head = 0n;

  const raise = (to: Position): void => {
    if (to <= head) return;
    head = to;
    for (const wake of [...waiting]) wake();
  };

  const publish = (commit: Committed): void => {
    kept.push(commit);
    keptBytes += commit.bytes;
    while (kept.length > limits.commits || keptBytes > limits.bytes) keptBytes -= kept.shift()?.bytes ?? keptBytes;
    raise(commit.head);
  };

  const after = (cursor: Position): LogSlice | undefined => {
    let index = kept.findIndex(({ prev }) => prev === cursor);
    if (index < 0) return undefined;
    const events: Array<StoredEvent> = [];
    let end = cursor;
    for (let next = kept[index]; next?.prev === end && events.length < limits.slice; next = kept[++index]) {
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
