/** One who holds part of a resource: a connection, for the request that it is being answered. */
export type Holder = {
  /** For how long its client has kept us waiting, ms; 0 while it is we who are at work. */
  readonly stalledFor: () => number;
  /** Whether its client has gone: nothing more is done for it. */
  readonly isGone: () => boolean;
  /** Ends it, and so gives back what it holds. */
  readonly cut: (reason: string) => void;
  /** Calls `release` when nobody works for the request any more. */
  readonly onceAnswered: (release: () => void) => void;
  /** Calls `giveUp` when its client goes. */
  readonly onceClosed: (giveUp: () => void) => void;
};

/** Something of which the process has only so much for all of its requests. */
export type Resource = {
  /** Grants an amount until the holder's request is over. False when it was not to be had in time, or its client has gone. */
  readonly take: (holder: Holder, amount?: number) => Promise<boolean>;
  /** As `take`, but never waits, and takes nothing from others. */
  readonly takeFree: (holder: Holder, amount?: number) => boolean;
};

type ResourceLimits = {
  readonly total: number;
  /** Longest wait for a grant, ms. */
  readonly timeoutMs?: number;
  /** A holder whose client has moved nothing for so long is cut off while another waits, ms. */
  readonly stalledMs?: number;
};

type Waiting = { readonly holder: Holder; readonly amount: number; readonly settle: (isGranted: boolean) => void };

/** Between two searches for a stalled holder while somebody waits, ms. */
const POLL_INTERVAL = 100;

/** So many wait at once; with one more, the one that came first is refused: it would hardly be served in time. */
const MAX_WAITING = 100;

const TIMEOUT = 2_000;
const STALLED = 1_000;

/**
 * A semaphore with slow-consumer eviction: who finds too little left waits, and while anybody waits, holders that have
 * stalled are cut off. By turns the one that has waited longest is served, so that nobody waits for ever, and the last to
 * come, so that a client that comes behind hundreds of others who will stall is served all the same. So clients that read
 * or send nothing can neither exhaust the process nor shut out the others.
 */
export const makeResource = ({ total, timeoutMs = TIMEOUT, stalledMs = STALLED }: ResourceLimits): Resource => {
  let left = total;
  const grants = new Set<{ readonly holder: Holder }>();
  const waiting = new Set<Waiting>();
  let isNewestNext = false;
  let polling: NodeJS.Timeout | undefined;

  const grant = (holder: Holder, amount: number): void => {
    const granted = { holder };
    left -= amount;
    grants.add(granted);
    holder.onceAnswered(() => {
      left += amount;
      grants.delete(granted);
      grantNext();
    });
  };

  const grantNext = (): void => {
    for (;;) {
      const next = isNewestNext ? [...waiting].at(-1) : [...waiting][0];
      if (next === undefined || next.amount > left) return;
      isNewestNext = !isNewestNext;
      next.settle(true);
    }
  };

  const evict = (): void => {
    const stalled = Array.from(grants, ({ holder }) => holder).filter((holder) => holder.stalledFor() >= stalledMs);
    for (const holder of stalled.slice(0, waiting.size)) holder.cut('slow while others wait');
  };

  const wait = (holder: Holder, amount: number): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isGranted: boolean): void => {
        if (!waiting.delete(entry)) return;
        clearTimeout(timer);
        if (waiting.size === 0) {
          clearInterval(polling);
          polling = undefined;
        }
        if (isGranted) grant(holder, amount);
        resolve(isGranted);
      };
      const entry: Waiting = { holder, amount, settle };
      const timer = setTimeout(() => settle(false), timeoutMs);
      waiting.add(entry);
      if (waiting.size > MAX_WAITING) [...waiting][0]?.settle(false);
      holder.onceClosed(() => settle(false));
      polling ??= setInterval(evict, POLL_INTERVAL);
      evict();
    });

  const takeFree = (holder: Holder, amount = 1): boolean => {
    if (amount > left || holder.isGone()) return false;
    grant(holder, amount);
    return true;
  };

  return {
    takeFree,
    take: (holder, wanted = 1) => {
      // what is larger than the whole waits until all of it is free
      const amount = Math.min(wanted, total);
      if (holder.isGone()) return Promise.resolve(false);
      return takeFree(holder, amount) ? Promise.resolve(true) : wait(holder, amount);
    },
  };
};
