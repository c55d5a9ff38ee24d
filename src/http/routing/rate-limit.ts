import { makeBoundedCache } from '../../event-sourcing/bounded-cache.js';
import type { Caller } from '../authentication/roles.js';
import type { KoaContext } from '../request-context.js';
import type { TooManyRequests } from '../problem/failure.js';

/** Counts a request; a refusal when its sender has had its share. */
export type RateLimit = (caller: Caller | undefined, ctx: Pick<KoaContext, 'ip'>) => TooManyRequests | undefined;

/** From the first request of a sender on, ms. */
const WINDOW = 60_000;

/**
 * Callers remembered, and as many addresses besides; at most twice as many of each. Who keeps sending stays remembered;
 * who was forgotten begins a new share. A name takes up to 1 KiB, an address far less: at most some 25 MiB in all.
 */
const REMEMBERED = 10_000;

type Share = { readonly until: number; readonly used: number };

const makeCount = (now: () => number): ((sender: string) => Share) => {
  const shares = makeBoundedCache<string, Share>(REMEMBERED);
  return (sender) => {
    const known = shares.get(sender);
    const share =
      known !== undefined && now() < known.until
        ? { ...known, used: known.used + 1 }
        : { until: now() + WINDOW, used: 1 };
    shares.set(sender, share);
    return share;
  };
};

/**
 * So many requests a minute for each caller, and for each address from which nobody has proven who it is. The two are
 * kept apart, so that a flood of addresses makes no caller forgotten. `now` is in ms.
 */
export const makeRateLimit = (perMinute: number, now: () => number = () => performance.now()): RateLimit => {
  const ofCaller = makeCount(now);
  const ofAddress = makeCount(now);
  return (caller, { ip }) => {
    const { used, until } = caller === undefined ? ofAddress(ip) : ofCaller(caller.subject);
    if (used <= perMinute) return undefined;
    return { _tag: 'TooManyRequests', retryAfter: Math.max(1, Math.ceil((until - now()) / 1000)) };
  };
};
