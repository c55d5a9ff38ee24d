import { categoryOf, type Position, type StoredEvent } from '../../../event-sourcing/recorded-event.js';
import type { Cancel, Clock } from '../../../event-sourcing/clock.js';

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
  /** Forgets the events in memory: the log may have been restored from an earlier backup since they were committed. */
  readonly forget: () => void;
  /** The log was found to end at `head`, before what this process has heard of. */
  readonly lower: (head: Position) => void;
  /** What follows `cursor` without a gap, as far as it is in memory; undefined when nothing is. */
  readonly after: (cursor: Position) => LogSlice | undefined;
  /**
   * Resolves when the log has grown beyond `cursor`, or when `signal` aborts. Commits of this process that add no event
   * of `categories` are passed over, for a second at most. Gives the position up to which there is nothing to read.
   */
  readonly grown: (cursor: Position, signal: AbortSignal, categories?: ReadonlyArray<string>) => Promise<Position>;
};

type FeedLimits = {
  /** Commits held in memory for subscribers that are a little behind, and their size together. */
  readonly commits: number;
  readonly bytes: number;
  /** Events after which a slice ends. */
  readonly slice: number;
};

const defaultLimits: FeedLimits = { commits: 64, bytes: 16 * 1024 * 1024, slice: 500 };

/** How long a waiting subscriber is not woken for commits that it would pass over, ms. */
const IDLE_MS = 1_000;

/** A subscriber that has read everything up to its cursor. */
class Waiter {
  #cursor: Position;
  readonly #categories: ReadonlyArray<string> | undefined;
  readonly #wake: (cursor: Position) => void;
  readonly #clock: Clock;
  #cancelIdle: Cancel | undefined;

  constructor(
    clock: Clock,
    cursor: Position,
    categories: ReadonlyArray<string> | undefined,
    wake: (cursor: Position) => void,
  ) {
    this.#clock = clock;
    this.#cursor = cursor;
    this.#categories = categories;
    this.#wake = wake;
  }

  wake(): void {
    this.#cancelIdle?.();
    this.#wake(this.#cursor);
  }

  /** Whether the waiter has passed over a commit, and goes on waiting. */
  passesOver({ prev, head, events }: Committed): boolean {
    const categories = this.#categories;
    if (prev !== this.#cursor || categories === undefined) return false;
    if (events.some(({ stream }) => categories.includes(categoryOf(stream)))) return false;
    this.#cursor = head;
    this.#cancelIdle ??= this.#clock.after(IDLE_MS, () => this.wake(), { isBackground: true });
    return true;
  }
}

export const makeCommitFeed = (clock: Clock, limits: FeedLimits = defaultLimits): CommitFeed => {
  const buffered: Array<Committed> = [];
  const waiting = new Set<Waiter>();
  let bufferedBytes = 0;
  let head = 0n;

  const raise = (to: Position): void => {
    if (to <= head) return;
    head = to;
    for (const waiter of [...waiting]) waiter.wake();
  };

  const forget = (): void => {
    buffered.length = 0;
    bufferedBytes = 0;
  };

  const lower = (to: Position): void => {
    head = to;
  };

  const publish = (commit: Committed): void => {
    buffered.push(commit);
    bufferedBytes += commit.bytes;
    while (buffered.length > limits.commits || bufferedBytes > limits.bytes)
      bufferedBytes -= buffered.shift()?.bytes ?? bufferedBytes;
    if (commit.head <= head) return;
    head = commit.head;
    for (const waiter of [...waiting]) if (!waiter.passesOver(commit)) waiter.wake();
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

  const grown: CommitFeed['grown'] = (cursor, signal, categories) => {
    if (head > cursor || signal.aborted) return Promise.resolve(cursor);
    return new Promise((resolve) => {
      const leave = (): void => waiter.wake();
      const waiter = new Waiter(clock, cursor, categories, (upTo) => {
        waiting.delete(waiter);
        signal.removeEventListener('abort', leave);
        resolve(upTo);
      });
      waiting.add(waiter);
      signal.addEventListener('abort', leave);
    });
  };

  return { head: () => head, publish, raise, forget, lower, after, grown };
};
