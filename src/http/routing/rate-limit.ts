import type { Clock } from '../../event-sourcing/clock.js';
import { makeBoundedCache } from '../../event-sourcing/bounded-cache.js';
import { networkOf } from '../budget/network.js';
import type { Caller } from '../authentication/roles.js';
import type { KoaContext } from '../request-context.js';
import type { TooManyRequests } from '../problem/failure.js';

/** Counts a request, and tells its sender in headers what is left; a failure when the sender is over the limit. */
export type RateLimit = (
  caller: Pick<Caller, 'subject'> | undefined,
  ctx: Pick<KoaContext, 'ip' | 'set'>,
) => TooManyRequests | undefined;

/** From the first request of a sender on, ms. */
const WINDOW_MS = 60_000;

/**
 * Callers remembered, and as many addresses; at most twice as many of each. One that keeps sending stays remembered; one
 * that was forgotten begins a new window. A name takes up to 1 KiB, an address far less: at most some 25 MiB in all.
 */
const REMEMBERED = 10_000;

type Window = { readonly until: number; readonly used: number };

const makeCount = ({ monotonic }: Clock): ((sender: string) => Window) => {
  const windows = makeBoundedCache<string, Window>(REMEMBERED);
  return (sender) => {
    const known = windows.get(sender);
    const current =
      known !== undefined && monotonic() < known.until
        ? { ...known, used: known.used + 1 }
        : { until: monotonic() + WINDOW_MS, used: 1 };
    windows.set(sender, current);
    return current;
  };
};

/**
 * Allows so many requests a minute for each caller, and for each address, of IPv6 each /64, of requests without a caller. The two are counted
 * apart, so that a flood of addresses does not make us forget a caller.
 */
export const makeRateLimit = (clock: Clock, perMinute: number): RateLimit => {
  const ofCaller = makeCount(clock);
  const ofAddress = makeCount(clock);
  return (caller, ctx) => {
    const { used, until } = caller === undefined ? ofAddress(networkOf(ctx.ip)) : ofCaller(caller.subject);
    const seconds = Math.max(1, Math.ceil((until - clock.monotonic()) / 1000));
    const sender = caller === undefined ? 'address' : 'caller';
    // structured fields of draft-ietf-httpapi-ratelimit-headers-11: quota and window, what remains of it and for how long
    ctx.set('RateLimit-Policy', `"${sender}";q=${perMinute};w=${WINDOW_MS / 1000}`);
    ctx.set('RateLimit', `"${sender}";r=${Math.max(0, perMinute - used)};t=${seconds}`);
    return used <= perMinute ? undefined : { _tag: 'TooManyRequests', retryAfter: seconds };
  };
};
