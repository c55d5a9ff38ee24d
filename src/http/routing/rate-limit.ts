import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../authentication/roles.js';
import type { HttpContext } from '../exchange.js';
import type { TooManyRequests } from '../problem/failure.js';

/** Counts a request; a refusal when its sender has had its share. */
export type RateLimit = (caller: Caller | undefined, ctx: HttpContext) => Promise<TooManyRequests | undefined>;

/** Seconds. */
const WINDOW = 60;

/** So many requests a minute for each caller, and for each address from which nobody has proven who it is. */
export const makeRateLimit = (perMinute: number): RateLimit => {
  const limiter = new RateLimiterMemory({ points: perMinute, duration: WINDOW });
  return async (caller, { ip }) => {
    try {
      await limiter.consume(caller === undefined ? `address ${ip}` : `subject ${caller.subject}`);
      return undefined;
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error;
      return { _tag: 'TooManyRequests', retryAfter: Math.max(1, Math.ceil(error.msBeforeNext / 1000)) };
    }
  };
};
