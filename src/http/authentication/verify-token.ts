import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import jwt, { type Options } from 'koa-jwt';
import type { HttpContext } from '../exchange.js';
import type { KeysUnavailable, Unauthenticated } from '../problem/failure.js';
import { SigningKeysUnavailable } from './key-set.js';
import { signingKeysOf } from './signing-keys.js';
import type { TokenVerification } from './token-verification.js';

/** The payload of a token whose signature, times, issuer and audience are right. */
type VerifyToken = (ctx: HttpContext, token: string) => Promise<E.Either<Unauthenticated | KeysUnavailable, unknown>>;

/** Seconds by which the issuer's clock may differ from ours. */
const CLOCK_TOLERANCE = 5;

const Refusal = t.type({ originalError: t.type({ name: t.string }) });

const reasonOf = (error: unknown): string =>
  Refusal.is(error) && error.originalError.name === 'TokenExpiredError'
    ? 'The token has expired'
    : 'The token is not valid';

const failureOf = (error: unknown): Unauthenticated | KeysUnavailable => {
  const cause = Refusal.is(error) ? error.originalError : error;
  return cause instanceof SigningKeysUnavailable
    ? { _tag: 'KeysUnavailable', cause }
    : { _tag: 'Unauthenticated', reason: reasonOf(error) };
};

const optionsOf = ({ key, issuer, audience }: TokenVerification, now: () => number): Options => {
  const keys = signingKeysOf(key, now);
  return {
    // reason: koa-jwt hands it on to jsonwebtoken, which takes key objects (and parses other forms anew each time)
    secret: keys.key as unknown as Options['secret'],
    algorithms: [...keys.algorithms],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
  };
};

// reason: koa-jwt hands all options on to jsonwebtoken, its types name only some of them
const clockOptions = (now: number): Partial<Options> =>
  ({ clockTolerance: CLOCK_TOLERANCE, clockTimestamp: Math.floor(now / 1000) }) as Partial<Options>;

const nothingElse = (): Promise<void> => Promise.resolve();

/** `now` is in ms since 1970. */
export const makeVerifyToken = (verification: TokenVerification, now: () => number): VerifyToken => {
  const options = optionsOf(verification, now);
  return async (ctx, token) => {
    try {
      await jwt({ ...options, ...clockOptions(now()), getToken: () => token })(ctx, nothingElse);
      return E.right(ctx.state.user);
    } catch (error) {
      return E.left(failureOf(error));
    }
  };
};
