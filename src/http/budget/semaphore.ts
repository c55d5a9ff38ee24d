import type { Cancel, Clock } from '../../event-sourcing/clock.js';

/** One who holds part of a semaphore: a connection, for the request that it is serving. */
export type Holder = {
  /** For how long its client has kept us waiting, ms; 0 while it is we who are at work. */
  readonly stalledFor: () => number;
  /** Whether its client has gone: nothing more is done for it. */
  readonly isGone: () => boolean;
  /** Closes the connection, and so gives back what it holds. */
  readonly cut: (reason: string) => void;
  /** Calls `release` when nothing more is done for the request. */
  readonly onceDone: (release: () => void) => void;
  /** Calls `giveUp` when its client goes. */
  readonly onceClosed: (giveUp: () => void) => void;
};

/** An amount that a holder wants, in the name of a caller. */
type Claim = { readonly holder: Holder; readonly caller: string; readonly amount: number };

/** A counting semaphore over a limited resource of the process. */
export type Semaphore = {
  /** Acquires an amount until the holder's request is over. False when the wait timed out, or the client has gone. */
  readonly acquire: (holder: Holder, caller: string, amount?: number) => Promise<boolean>;
  /** As `acquire` of one, but never waits, and evicts nobody. */
  readonly tryAcquire: (holder: Holder, caller: string) => boolean;
  /** How much of it is held now. */
  readonly held: () => number;
};

type SemaphoreOptions = {
  readonly clock: Clock;
  readonly total: number;
  /** How much of it one caller may hold. Default: three quarters. */
  readonly maxPerCaller?: number;
  /** Longest wait, ms. */
  readonly timeoutMs?: number;
  /** A holder whose client has moved nothing for this long is evicted while another waits, ms. */
  readonly stalledMs?: number;
};

type Waiter = Claim & { readonly settle: (isAcquired: boolean) => void };

/** Between two evictions of slow consumers while somebody waits, ms. */
const EVICTION_INTERVAL = 100;

const MAX_WAITING = 100;

const TIMEOUT = 2_000;
const STALLED = 1_000;

/** How much each caller holds. */
const makeCallerTotals = (
  maxPerCaller: number,
): { readonly allows: (claim: Claim) => boolean; readonly add: (caller: string, amount: number) => void } => {
  const held = new Map<string, number>();
  return {
    allows: ({ caller, amount }) => (held.get(caller) ?? 0) + amount <= maxPerCaller,
    add: (caller, amount) => {
      const sum = (held.get(caller) ?? 0) + amount;
      if (sum > 0) held.set(caller, sum);
      else held.delete(caller);
    },
  };
};

/**
 * A semaphore with slow-consumer eviction. A claim waits while too little is left; while any claim waits, holders whose
 * clients have stalled are evicted. Waiting claims are served by turns from the front, so that nobody waits for ever, and
 * from the back, so that a client that comes behind hundreds of stalling ones is served in time. A caller that is slow
 * without stalling, on however many connections, cannot take everything: there is a maximum for each caller.
 */
export const makeSemaphore = ({
  clock,
  total,
  maxPerCaller = Math.floor(total * 0.75),
  timeoutMs = TIMEOUT,
  stalledMs = STALLED,
}: SemaphoreOptions): Semaphore => {
  let left = total;
  const callers = makeCallerTotals(maxPerCaller);
  const held = new Set<Claim>();
  const waiting = new Set<Waiter>();
  let isNewestNext = false;
  let evicting: Cancel | undefined;

  const hold = (claim: Claim): void => {
    const { holder, caller, amount } = claim;
    left -= amount;
    callers.add(caller, amount);
    held.add(claim);
    holder.onceDone(() => {
      left += amount;
      callers.add(caller, -amount);
      held.delete(claim);
      serveWaiting();
    });
  };

  const serveWaiting = (): void => {
    for (;;) {
      const allowed = [...waiting].filter((claim) => callers.allows(claim));
      const next = isNewestNext ? allowed.at(-1) : allowed[0];
      if (next === undefined || next.amount > left) return;
      isNewestNext = !isNewestNext;
      next.settle(true);
    }
  };

  /** For each claim that waits, evicts one stalled holder; one of the same caller where that caller is at its maximum. */
  const evict = (): void => {
    const stalled = [...held].filter(({ holder }) => holder.stalledFor() >= stalledMs);
    for (const claim of waiting) {
      const isAllowed = callers.allows(claim);
      const index = stalled.findIndex(({ caller }) => isAllowed || caller === claim.caller);
      const [victim] = index === -1 ? [] : stalled.splice(index, 1);
      victim?.holder.cut('slow while others wait');
    }
  };

  /** The claim to give up: the first whose caller is at its maximum, else the first of all. It would be served last. */
  const leastLikely = (): Waiter | undefined => {
    const all = [...waiting];
    return all.find((claim) => !callers.allows(claim)) ?? all[0];
  };

  const wait = (claim: Claim): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isAcquired: boolean): void => {
        if (!waiting.delete(waiter)) return;
        cancel();
        if (waiting.size === 0) {
          evicting?.();
          evicting = undefined;
        }
        if (isAcquired) hold(claim);
        resolve(isAcquired);
      };
      const waiter: Waiter = { ...claim, settle };
      const cancel = clock.after(timeoutMs, () => settle(false));
      waiting.add(waiter);
      if (waiting.size > MAX_WAITING) leastLikely()?.settle(false);
      claim.holder.onceClosed(() => settle(false));
      evicting ??= clock.every(EVICTION_INTERVAL, evict);
      evict();
    });

  const holdNow = (claim: Claim): boolean => {
    if (claim.amount > left || !callers.allows(claim) || claim.holder.isGone()) return false;
    hold(claim);
    return true;
  };

  return {
    held: () => total - left,
    tryAcquire: (holder, caller) => holdNow({ holder, caller, amount: 1 }),
    acquire: (holder, caller, wanted = 1) => {
      // what is larger than a caller's maximum waits until all of that is free
      const claim = { holder, caller, amount: Math.min(wanted, maxPerCaller) };
      if (holder.isGone()) return Promise.resolve(false);
      return holdNow(claim) ? Promise.resolve(true) : wait(claim);
    },
  };
};
