import type { KeyObject } from 'node:crypto';
import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { decode } from 'jsonwebtoken';
import jwt, { type Options } from 'koa-jwt';
import type { Clock } from '../../event-sourcing/clock.js';
import type { KoaContext } from '../request-context.js';
import { type KeysUnavailable, tokenExpired, type Unauthenticated } from '../problem/failure.js';
import { SigningKeysUnavailable } from './key-set.js';
import { signingKeysOf, type VerificationKey } from './signing-keys.js';
import { headerFault, type TokenHeader } from './token-header.js';

export type TokenVerification = {
  readonly key: VerificationKey;
  /** Required claims, where configured. */
  readonly issuer?: string | undefined;
  readonly audience?: string | undefined;
};

/** The payload of a token whose header, signature, times, issuer and audience are right. */
type VerifyToken = (ctx: KoaContext, token: string) => Promise<E.Either<Unauthenticated | KeysUnavailable, unknown>>;

/** Seconds by which the issuer's clock may differ from ours. */
const CLOCK_TOLERANCE = 5;

/** The header makes the token invalid. */
class HeaderInvalid extends Error {}

/** What koa-jwt throws, and in it what jsonwebtoken threw. */
const KoaJwtError = t.type({ originalError: t.type({ name: t.string, message: t.string }) });

// jsonwebtoken has no other sign for it than this message.
const isBadSignature = (error: unknown): boolean =>
  KoaJwtError.is(error) && error.originalError.message === 'invalid signature';

const failureOf = (error: unknown): Unauthenticated | KeysUnavailable => {
  if (error instanceof SigningKeysUnavailable) return { _tag: 'KeysUnavailable', cause: error };
  if (error instanceof HeaderInvalid) return { _tag: 'Unauthenticated', reason: error.message };
  return KoaJwtError.is(error) && error.originalError.name === 'TokenExpiredError'
    ? tokenExpired
    : { _tag: 'Unauthenticated', reason: 'The token is not valid' };
};

/** Read by the library that verifies the token, so that both see the same header. Throws when it is not a token. */
const headerOf = (token: string): TokenHeader => {
  const decoded = decode(token, { complete: true });
  if (decoded === null) throw new HeaderInvalid('The token is not valid');
  return decoded.header;
};

const nothingElse = (): Promise<void> => Promise.resolve();

/** Throws on a key that must not verify tokens. */
export const makeVerifyToken = (clock: Clock, { key, issuer, audience }: TokenVerification): VerifyToken => {
  const { algorithms, find, findNewer } = signingKeysOf(clock, key);

  const optionsOf = (token: string, keys: ReadonlyArray<KeyObject>): Options => ({
    // reason: koa-jwt hands them on to jsonwebtoken, which takes key objects (and parses other forms anew each time)
    secret: keys as unknown as Options['secret'],
    getToken: () => token,
    algorithms: [...algorithms],
    ...(issuer === undefined ? {} : { issuer }),
    ...(audience === undefined ? {} : { audience }),
    // reason: koa-jwt hands all options on to jsonwebtoken, its types name only some of them
    ...({
      clockTolerance: CLOCK_TOLERANCE,
      clockTimestamp: Math.floor(clock.date().getTime() / 1000),
    } as Partial<Options>),
  });

  const payloadOf = async (ctx: KoaContext, token: string, keys: ReadonlyArray<KeyObject>): Promise<unknown> => {
    await jwt(optionsOf(token, keys))(ctx, nothingElse);
    return ctx.state.user;
  };

  const verify = async (ctx: KoaContext, token: string): Promise<unknown> => {
    const header = headerOf(token);
    const fault = headerFault(header, algorithms);
    if (fault !== undefined) throw new HeaderInvalid(fault);
    const keys = await find(header);
    try {
      return await payloadOf(ctx, token, keys);
    } catch (error) {
      const newer = isBadSignature(error) ? await findNewer(header, keys) : [];
      if (newer.length === 0) throw error;
      return payloadOf(ctx, token, newer);
    }
  };

  return (ctx, token) => verify(ctx, token).then(E.right, (error: unknown) => E.left(failureOf(error)));
};
