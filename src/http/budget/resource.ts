/** One who holds part of a resource: a connection, for the request that it is being answered. */
export type Holder = {
  /** For how long its client has kept us waiting, ms; 0 while it is we who are at work. */
  readonly stalledFor: () => number;
  /** Ends it, and so gives back what it holds. */
  readonly cut: (reason: string) => void;
  /** Calls `release` once, when the request has been answered or the connection is closed; at once when it is already. */
  readonly onceAnswered: (release: () => void) => void;
};

/** Something of which the process has only so much for all of its requests. */
export type Resource = {
  /** Grants an amount until the holder's request is over. False when it was not to be had in time. */
  readonly take: (holder: Holder, amount?: number) => Promise<boolean>;
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

const TIMEOUT = 2_000;
const STALLED = 1_000;

/** The one that has stalled the longest, of those that have for at least `stalledMs`. */
export const slowest = <Client extends Pick<Holder, 'stalledFor'>>(
  clients: Iterable<Client>,
  stalledMs: number,
): Client | undefined => {
  let [found, longest]: [Client | undefined, number] = [undefined, stalledMs];
  for (const client of clients) {
    const stalled = client.stalledFor();
    if (stalled >= longest) [found, longest] = [client, stalled];
  }
  return found;
};

/**
 * A semaphore with slow-consumer eviction: who finds too little left waits, first come first served, and while anybody
 * waits, the holder that has stalled the longest is cut off. A few clients that read or send nothing can then neither
 * exhaust the process nor shut out the others.
 */
export const makeResource = ({ total, timeoutMs = TIMEOUT, stalledMs = STALLED }: ResourceLimits): Resource => {
  let left = total;
  const grants = new Set<{ readonly holder: Holder }>();
  const waiting = new Set<Waiting>();
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
    for (const next of waiting) {
      if (next.amount > left) return;
      next.settle(true);
    }
  };

  const evict = (): void => {
    const holders = Array.from(grants, ({ holder }) => holder);
    slowest(holders, stalledMs)?.cut('slow while others wait');
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
      holder.onceAnswered(() => settle(false));
      polling ??= setInterval(evict, POLL_INTERVAL);
    });

  return {
    take: (holder, wanted = 1) => {
      // what is larger than the whole waits until all of it is free
      const amount = Math.min(wanted, total);
      if (amount > left || waiting.size > 0) return wait(holder, amount);
      grant(holder, amount);
      return Promise.resolve(true);
    },
  };
};
