import type { Position } from '../../../src/event-sourcing/recorded-event.js';

/**
 * How far the live rows of one read model have come, as this process knows it. Satisfies the ports
 * `ProjectionProgress` and `Freshness`.
 */
export type Progress = {
  /**
   * True when the rows show everything up to `position`; false when the waiting budget ran out first, and at once while
   * projecting is known to stand still.
   */
  readonly waitFor: (position: Position) => Promise<boolean>;
  /** Whether the rows lack an event that is known to have been in the log for too long. */
  readonly isBehind: () => boolean;
  /** -1 before anything is known. Never goes back, but by `forget`. */
  readonly reached: () => Position;
  /** Whether someone waits. */
  readonly isAwaited: () => boolean;
  /** The rows show everything up to `position`. */
  readonly advance: (position: Position) => void;
  /** The rows ought to show `position` by now: they are behind until they do. */
  readonly expect: (position: Position) => void;
  /** The rows count as behind, wherever they are. */
  readonly doubt: () => void;
  /** Ends the doubt: from `position` on they are no longer behind. */
  readonly trustFrom: (position: Position) => void;
  /** Projecting stands still, and whoever waits need not, until it resumes or the rows move. */
  readonly interrupt: () => void;
  readonly resume: () => void;
  /** Nothing that is known of the rows counts any more: they are of another log. */
  readonly forget: () => void;
};

/** How long the answer to a write waits for its row. */
const BUDGET_MS = 2_000;

type Waiter = { readonly position: Position; readonly settle: (isReached: boolean) => void };

export const makeProgress = (budgetMs: number = BUDGET_MS): Progress => {
  let reached = -1n;
  let expected = -1n;
  let standsStill = false;
  let isDoubted = false;
  // by position; writes wait in about that order, so that both ends are where the work is
  const waiters: Array<Waiter> = [];

  const enqueue = (waiter: Waiter): void => {
    let at = waiters.length;
    while (at > 0 && (waiters[at - 1]?.position ?? -1n) > waiter.position) at -= 1;
    waiters.splice(at, 0, waiter);
  };

  const expect = (position: Position): void => {
    if (position > expected) expected = position;
  };

  const waitFor = (position: Position): Promise<boolean> => {
    if (position <= reached) return Promise.resolve(true);
    if (standsStill) {
      expect(position);
      return Promise.resolve(false);
    }
    const before = reached;
    return new Promise((resolve) => {
      const settle = (isReached: boolean): void => {
        clearTimeout(budget);
        if (!isReached) expect(position);
        resolve(isReached);
      };
      const waiter = { position, settle };
      const budget = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        // nothing moved for as long as anyone waits: the next ones need not find that out again
        standsStill ||= reached === before;
        settle(false);
      }, budgetMs);
      enqueue(waiter);
    });
  };

  const interrupt = (): void => {
    standsStill = true;
    for (const { settle } of waiters.splice(0)) settle(false);
  };

  const advance = (position: Position): void => {
    if (position <= reached) return;
    reached = position;
    standsStill = false;
    const beyond = waiters.findIndex((waiter) => waiter.position > position);
    for (const { settle } of waiters.splice(0, beyond === -1 ? waiters.length : beyond)) settle(true);
  };

  const forget = (): void => {
    reached = -1n;
    expected = -1n;
    interrupt();
  };

  return {
    waitFor,
    isBehind: () => isDoubted || reached < expected,
    reached: () => reached,
    isAwaited: () => waiters.length > 0,
    advance,
    expect,
    doubt: () => {
      isDoubted = true;
    },
    trustFrom: (position) => {
      isDoubted = false;
      expect(position);
    },
    interrupt,
    forget,
    resume: () => {
      standsStill = false;
    },
  };
};
