import type { Position } from '../../src/event-sourcing/recorded-event.js';

/**
 * How far the live rows of one read model have come, as this process knows it. Satisfies the ports
 * `ProjectionProgress` and `Freshness`.
 */
export type Progress = {
  /** True when the rows show everything up to `position`; false when the waiting budget ran out first. */
  readonly waitFor: (position: Position) => Promise<boolean>;
  /** Whether the rows lack an event that is known to have been in the log for too long. */
  readonly isBehind: () => boolean;
  /** -1 before anything is known. Never goes back. */
  readonly reached: () => Position;
  /** Whether someone waits. */
  readonly isAwaited: () => boolean;
  /** The rows show everything up to `position`. */
  readonly advance: (position: Position) => void;
  /** The rows ought to show `position` by now: they are behind until they do. */
  readonly expect: (position: Position) => void;
};

/** How long the answer to a write waits for its row. */
const BUDGET_MS = 2_000;

type Waiter = { readonly position: Position; readonly wake: () => void };

export const makeProgress = (budgetMs: number = BUDGET_MS): Progress => {
  let reached = -1n;
  let expected = -1n;
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
    return new Promise((resolve) => {
      const waiter: Waiter = {
        position,
        wake: () => {
          clearTimeout(budget);
          resolve(true);
        },
      };
      const budget = setTimeout(() => {
        waiters.splice(waiters.indexOf(waiter), 1);
        expect(position);
        resolve(false);
      }, budgetMs);
      enqueue(waiter);
    });
  };

  const advance = (position: Position): void => {
    if (position <= reached) return;
    reached = position;
    const beyond = waiters.findIndex((waiter) => waiter.position > position);
    for (const { wake } of waiters.splice(0, beyond === -1 ? waiters.length : beyond)) wake();
  };

  return {
    waitFor,
    isBehind: () => reached < expected,
    reached: () => reached,
    isAwaited: () => waiters.length > 0,
    advance,
    expect,
  };
};
