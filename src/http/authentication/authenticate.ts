import { either as E } from 'fp-ts';
import type { Clock } from '../../event-sourcing/clock.js';
import { makeBoundedCache } from '../../event-sourcing/bounded-cache.js';
import { bearerToken } from './bearer-token.js';
import type { KoaContext } from '../request-context.js';
import type { KeysUnavailable, Unauthenticated } from '../problem/failure.js';
import { provenBy } from './claims.js';
import type { Caller } from './roles.js';
import { makeVerifyToken, type TokenVerification } from './verify-token.js';

/** Who sent a request; undefined when it carries no token at all. */
export type Identified = E.Either<Unauthenticated | KeysUnavailable, Caller | undefined>;

/** Finds out who sent a request: at once, where its token is known. */
export type Authenticate = (ctx: KoaContext) => Identified | Promise<Identified>;

/** Tokens remembered, at most twice as many; verifying costs 55 µs, remembering 2 µs. */
const REMEMBERED = 1000;

/** Longer tokens are verified each time, so that memory stays bounded. */
const MAX_REMEMBERED_LENGTH = 4096;

/** A token is verified again after this time, seconds: its key may have been withdrawn. */
const MAX_REMEMBERED_TIME = 300;

/** A caller, and until when (seconds since 1970) its token is not verified again. */
type Remembered = { readonly caller: Caller; readonly until: number };

const noToken: Identified = E.right(undefined);

const unauthenticated = (reason: string): E.Either<Unauthenticated, never> =>
  E.left({ _tag: 'Unauthenticated', reason });

/** Verifies bearer tokens and remembers good ones, never past their expiry. */
export const makeAuthenticate = (clock: Clock, verification: TokenVerification): Authenticate => {
  const verify = makeVerifyToken(clock, verification);
  const seconds = (): number => clock.date().getTime() / 1000;
  const remembered = makeBoundedCache<string, Remembered>(REMEMBERED);

  const remember = (token: string, caller: Caller): void => {
    if (token.length > MAX_REMEMBERED_LENGTH) return;
    remembered.set(token, { caller, until: Math.min(caller.expiresAt, seconds() + MAX_REMEMBERED_TIME) });
  };

  const verified = async (ctx: KoaContext, token: string): Promise<Identified> => {
    const payload = await verify(ctx, token);
    if (E.isLeft(payload)) return payload;
    const proven = provenBy(payload.right);
    if (E.isLeft(proven)) return unauthenticated(proven.left);
    remember(token, proven.right);
    return E.right(proven.right);
  };

  return (ctx) => {
    const header = ctx.req.headers.authorization;
    if (header === undefined) return noToken;
    const token = bearerToken(header);
    if (token === undefined) return unauthenticated('The Authorization header must have the form: Bearer <token>');
    const known = remembered.get(token);
    return known !== undefined && seconds() < known.until ? E.right(known.caller) : verified(ctx, token);
  };
};
