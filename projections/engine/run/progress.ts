import type { Position } from '../../../src/event-sourcing/recorded-event.js';

/** Whether GETs may be served from the rows. */
type Freshness =
  | { readonly _tag: 'Fresh' }
  /** Not before the rows show everything up to `until`. */
  | { readonly _tag: 'Lagging'; readonly until: Position }
  /** Not before `confirm`, and then not before `until`. */
  | { readonly _tag: 'Unconfirmed'; readonly until: Position };

/**
 * How far the live rows of one read model have come, as this process knows it. Satisfies the ports
 * `ProjectionProgress` and `Freshness`.
 */
export type Progress = {
  /**
   * True when the rows show everything up to `position`; false when the waiting budget ran out first, and at once while
   * projecting is suspended.
   */
  readonly waitFor: (position: Position) => Promise<boolean>;
  /** Whether the rows lack an event that is known to have been in the log for too long. */
  readonly isBehind: () => boolean;
  /** -1 before anything is known. Never goes back, except by `forget`. */
  readonly reached: () => Position;
  /** Whether someone waits. */
  readonly isAwaited: () => boolean;
  /** The rows show everything up to `position`. */
  readonly advance: (position: Position) => void;
  /** The rows are behind until they show `position`. */
  readonly requireUntil: (position: Position) => void;
  /** The rows are behind, however far they come, until `confirm`. */
  readonly requireConfirmation: () => void;
  /** The rows are no longer behind once they show `position`. */
  readonly confirm: (position: Position) => void;
  /** Projecting stands still: nobody waits until it resumes or the rows advance. */
  readonly suspend: () => void;
  readonly resume: () => void;
  /** Nothing that is known of the rows counts any more: they are of another log. */
  readonly forget: () => void;
};

/** How long the answer to a write waits for its row. */
const BUDGET_MS = 2_000;

type Waiter = { readonly position: Position; readonly resolve: (isReached: boolean) => void };

const later = (one: Position, other: Position): Position => (one > other ? one : other);

export const makeProgress = (budgetMs: number = BUDGET_MS): Progress => {
  let reached = -1n;
  let freshness: Freshness = { _tag: 'Fresh' };
  let isSuspended = false;
  // by position; writes wait in about that order, so that both ends are where the work is
  const waiters: Array<Waiter> = [];

  const enqueue = (waiter: Waiter): void => {
    let at = waiters.length;
    while (at > 0 && (waiters[at - 1]?.position ?? -1n) > waiter.position) at -= 1;
    waiters.splice(at, 0, waiter);
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

  const waitFor = (position: Position): Promise<boolean> => {
    if (position <= reached) return Promise.resolve(true);
    if (isSuspended) {
      requireUntil(position);
      return Promise.resolve(false);
    }
    const before = reached;
    return new Promise((resolve) => {
      const answer = (isReached: boolean): void => {
        clearTimeout(budget);
        if (!isReached) requireUntil(position);
        resolve(isReached);
      };
      const waiter = { position, resolve: answer };
      const budget = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        // nothing advanced for as long as anyone waits: the next ones need not find that out again
        isSuspended ||= reached === before;
        answer(false);
      }, budgetMs);
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
  };

  return {
    waitFor,
    isBehind: () => freshness._tag !== 'Fresh',
    reached: () => reached,
    isAwaited: () => waiters.length > 0,
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
    forget: () => {
      reached = -1n;
      freshness = freshness._tag === 'Unconfirmed' ? { _tag: 'Unconfirmed', until: -1n } : { _tag: 'Fresh' };
      suspend();
    },
  };
};
