import { SILENCE_MS } from '../../../src/event-sourcing/answer-deadline.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';

/** Whether GETs may be served from the rows: only when `Fresh`. */
type Freshness =
  | { readonly _tag: 'Fresh' }
  /** Fresh again when the rows show everything up to `until`. */
  | { readonly _tag: 'Lagging'; readonly until: Position }
  /** `Lagging` again after `confirm`, however far the rows come before that. */
  | { readonly _tag: 'Unconfirmed'; readonly until: Position };

/**
 * How far the live rows of one read model have come, as this process knows it. Satisfies the ports
 * `ProjectionProgress` and `Freshness`.
 */
export type Progress = {
  /**
   * True when the rows show everything up to `position`; false when the waiting budget ran out or `until` (of
   * `performance.now`) came first, and at once while projecting is suspended.
   */
  readonly waitFor: (position: Position, until?: number) => Promise<boolean>;
  /** Whether the rows lag, so that GETs must not be served from them. */
  readonly isBehind: () => boolean;
  /** Position up to which the rows are complete; -1 before it is known. Only `forget` sets it back. */
  readonly reached: () => Position;
  /** Resolves when `reached` is another position than `known`, and when `signal` aborts. Nobody is asked to hurry. */
  readonly untilMoved: (known: Position, signal: AbortSignal) => Promise<void>;
  /** Whether someone waits. */
  readonly isAwaited: () => boolean;
  /** Resolves as soon as someone waits, after `ms`, and when `signal` aborts. */
  readonly untilAwaited: (ms: number, signal: AbortSignal) => Promise<void>;
  /** The rows show everything up to `position`. */
  readonly advance: (position: Position) => void;
  /** The rows lag until they show `position`. */
  readonly requireUntil: (position: Position) => void;
  /** The rows lag, however far they come, until `confirm`. */
  readonly requireConfirmation: () => void;
  /** The rows lag no longer when they show `position`. */
  readonly confirm: (position: Position) => void;
  /** Projecting has stopped: `waitFor` gives false at once until `resume` or `advance`. */
  readonly suspend: () => void;
  readonly resume: () => void;
  /** The rows are of another log, or the log has lost events: everything known of them is void. */
  readonly forget: () => void;
  /** How often it was forgotten: what was read of the rows before that must not advance it. */
  readonly forgotten: () => number;
  /** The rows were put back, and show no more than what comes up to `position`: they lag until they are as far again. */
  readonly fallBack: (position: Position) => void;
};

type Waiter = { readonly position: Position; readonly resolve: (isReached: boolean) => void };

const later = (one: Position, other: Position): Position => (one > other ? one : other);

/** `budgetMs`: how long the response to a write waits for its row. */
export const makeProgress = (budgetMs: number = SILENCE_MS): Progress => {
  let reached = -1n;
  let freshness: Freshness = { _tag: 'Fresh' };
  let isSuspended = false;
  let forgotten = 0;
  // ordered by position; writes arrive in about that order, so that a new one is inserted near the end
  const waiters: Array<Waiter> = [];
  let onAwaited = (): void => undefined;
  const observers = new Set<() => void>();

  const noteMoved = (): void => {
    for (const observer of [...observers]) observer();
  };

  const enqueue = (waiter: Waiter): void => {
    let at = waiters.length;
    while (at > 0 && (waiters[at - 1]?.position ?? -1n) > waiter.position) at -= 1;
    waiters.splice(at, 0, waiter);
    onAwaited();
  };

  const requiredPosition = (): Position => (freshness._tag === 'Fresh' ? -1n : freshness.until);

  const lagUntil = (until: Position): void => {
    freshness = until > reached ? { _tag: 'Lagging', until } : { _tag: 'Fresh' };
  };

  const requireUntil = (position: Position): void => {
    const until = later(position, requiredPosition());
    if (freshness._tag === 'Unconfirmed') freshness = { _tag: 'Unconfirmed', until };
    else lagUntil(until);
  };

  const waitFor = (position: Position, until = Infinity): Promise<boolean> => {
    if (position <= reached) return Promise.resolve(true);
    if (isSuspended) {
      requireUntil(position);
      return Promise.resolve(false);
    }
    const before = reached;
    const ms = Math.min(budgetMs, Math.max(0, until - performance.now()));
    return new Promise((resolve) => {
      const finish = (isReached: boolean): void => {
        clearTimeout(budget);
        if (!isReached) requireUntil(position);
        resolve(isReached);
      };
      const waiter = { position, resolve: finish };
      const budget = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        // the rows have not advanced in the whole of the budget: later writes need not wait in vain, too
        isSuspended ||= ms === budgetMs && reached === before;
        finish(false);
      }, ms);
      enqueue(waiter);
    });
  };

  const suspend = (): void => {
    isSuspended = true;
    for (const { resolve } of waiters.splice(0)) resolve(false);
  };

  const advance = (position: Position): void => {
    if (position <= reached) return;
    reached = position;
    isSuspended = false;
    if (freshness._tag === 'Lagging') lagUntil(freshness.until);
    const beyond = waiters.findIndex((waiter) => waiter.position > position);
    for (const { resolve } of waiters.splice(0, beyond === -1 ? waiters.length : beyond)) resolve(true);
    noteMoved();
  };

  return {
    waitFor,
    isBehind: () => freshness._tag !== 'Fresh',
    reached: () => reached,
    untilMoved: (known, signal) => {
      if (reached !== known || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const settle = (): void => {
          observers.delete(settle);
          signal.removeEventListener('abort', settle);
          resolve();
        };
        observers.add(settle);
        signal.addEventListener('abort', settle);
      });
    },
    isAwaited: () => waiters.length > 0,
    untilAwaited: async (ms, signal) => {
      if (waiters.length > 0) return;
      const awaited = new AbortController();
      onAwaited = () => awaited.abort();
      await pause(ms, AbortSignal.any([signal, awaited.signal]));
      onAwaited = () => undefined;
    },
    advance,
    requireUntil,
    requireConfirmation: () => {
      freshness = { _tag: 'Unconfirmed', until: requiredPosition() };
    },
    confirm: (position) => lagUntil(later(position, requiredPosition())),
    suspend,
    resume: () => {
      isSuspended = false;
    },
    forgotten: () => forgotten,
    fallBack: (position) => {
      if (position >= reached) return;
      const before = reached;
      reached = position;
      requireUntil(before);
      noteMoved();
    },
    forget: () => {
      forgotten += 1;
      reached = -1n;
      freshness = freshness._tag === 'Unconfirmed' ? { _tag: 'Unconfirmed', until: -1n } : { _tag: 'Fresh' };
      suspend();
      noteMoved();
    },
  };
};
