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

/** One who asks for an amount of a resource, in the name of a caller. */
type Asked = { readonly holder: Holder; readonly caller: string; readonly amount: number };

/** Something of which the process has only so much for all of its requests. */
export type Resource = {
  /** Grants an amount until the holder's request is over. False when it was not to be had in time, or its client has gone. */
  readonly take: (holder: Holder, caller: string, amount?: number) => Promise<boolean>;
  /** As `take` of one, but never waits, and takes nothing from others. */
  readonly takeFree: (holder: Holder, caller: string) => boolean;
};

type ResourceLimits = {
  readonly total: number;
  /** How much of it one caller may hold. */
  readonly share?: number;
  /** Longest wait for a grant, ms. */
  readonly timeoutMs?: number;
  /** A holder whose client has moved nothing for so long is cut off while another waits, ms. */
  readonly stalledMs?: number;
};

type Waiting = Asked & { readonly settle: (isGranted: boolean) => void };

/** Between two searches for a stalled holder while somebody waits, ms. */
const POLL_INTERVAL = 100;

/**
 * So many wait at once; with one more, the one that came first is refused, as it would hardly be served in time: among
 * those that wait for their own share, if there are such.
 */
const MAX_WAITING = 100;

const TIMEOUT = 2_000;
const STALLED = 1_000;

/** How much of a resource each caller holds. */
const makeShares = (
  share: number,
): { readonly leaves: (asked: Asked) => boolean; readonly add: (caller: string, amount: number) => void } => {
  const held = new Map<string, number>();
  return {
    leaves: ({ caller, amount }) => (held.get(caller) ?? 0) + amount <= share,
    add: (caller, amount) => {
      const sum = (held.get(caller) ?? 0) + amount;
      if (sum > 0) held.set(caller, sum);
      else held.delete(caller);
    },
  };
};

/**
 * A semaphore with slow-consumer eviction: who finds too little left waits, and while anybody waits, holders that have
 * stalled are cut off. By turns the one that has waited longest is served, so that nobody waits for ever, and the last to
 * come, so that a client that comes behind hundreds of others who will stall is served all the same. One caller gets three
 * quarters at most, so that one that is slow without stalling, on however many connections, leaves something to others.
 * So no caller can exhaust the process, or shut out the others.
 */
export const makeResource = ({
  total,
  share = Math.floor(total * 0.75),
  timeoutMs = TIMEOUT,
  stalledMs = STALLED,
}: ResourceLimits): Resource => {
  let left = total;
  const shares = makeShares(share);
  const grants = new Set<Asked>();
  const waiting = new Set<Waiting>();
  let isNewestNext = false;
  let polling: NodeJS.Timeout | undefined;

  const grant = (asked: Asked): void => {
    const { holder, caller, amount } = asked;
    left -= amount;
    shares.add(caller, amount);
    grants.add(asked);
    holder.onceAnswered(() => {
      left += amount;
      shares.add(caller, -amount);
      grants.delete(asked);
      grantNext();
    });
  };

  const grantNext = (): void => {
    for (;;) {
      const allowed = [...waiting].filter((asked) => shares.leaves(asked));
      const next = isNewestNext ? allowed.at(-1) : allowed[0];
      if (next === undefined || next.amount > left) return;
      isNewestNext = !isNewestNext;
      next.settle(true);
    }
  };

  /** For each that waits, cuts one that has stalled: one of the same caller, if it is its own share that it waits for. */
  const evict = (): void => {
    const stalled = [...grants].filter(({ holder }) => holder.stalledFor() >= stalledMs);
    for (const asked of waiting) {
      const isAllowed = shares.leaves(asked);
      const index = stalled.findIndex(({ caller }) => isAllowed || caller === asked.caller);
      const [victim] = index === -1 ? [] : stalled.splice(index, 1);
      victim?.holder.cut('slow while others wait');
    }
  };

  const mostHopeless = (): Waiting | undefined => {
    const inTurn = [...waiting];
    return inTurn.find((asked) => !shares.leaves(asked)) ?? inTurn[0];
  };

  const wait = (asked: Asked): Promise<boolean> =>
    new Promise((resolve) => {
      const settle = (isGranted: boolean): void => {
        if (!waiting.delete(entry)) return;
        clearTimeout(timer);
        if (waiting.size === 0) {
          clearInterval(polling);
          polling = undefined;
        }
        if (isGranted) grant(asked);
        resolve(isGranted);
      };
      const entry: Waiting = { ...asked, settle };
      const timer = setTimeout(() => settle(false), timeoutMs);
      waiting.add(entry);
      if (waiting.size > MAX_WAITING) mostHopeless()?.settle(false);
      asked.holder.onceClosed(() => settle(false));
      polling ??= setInterval(evict, POLL_INTERVAL);
      evict();
    });

  const grantFree = (asked: Asked): boolean => {
    if (asked.amount > left || !shares.leaves(asked) || asked.holder.isGone()) return false;
    grant(asked);
    return true;
  };

  return {
    takeFree: (holder, caller) => grantFree({ holder, caller, amount: 1 }),
    take: (holder, caller, wanted = 1) => {
      // what is larger than a whole share waits until all of that is free
      const asked = { holder, caller, amount: Math.min(wanted, share) };
      if (holder.isGone()) return Promise.resolve(false);
      return grantFree(asked) ? Promise.resolve(true) : wait(asked);
    },
  };
};
