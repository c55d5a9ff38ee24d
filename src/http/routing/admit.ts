import { either as E } from 'fp-ts';
import type { Authenticate } from '../authentication/authenticate.js';
import { type Caller, hasOneOf, type Roles } from '../authentication/roles.js';
import type { HttpContext } from '../exchange.js';
import type { KeysUnavailable, RoleMissing, TooManyRequests, Unauthenticated } from '../problem/failure.js';
import type { RateLimit } from './rate-limit.js';
import type { TokenOptional, TokenRequired } from '../route.js';

export type Admission = { readonly authenticate: Authenticate; readonly rateLimit?: RateLimit | undefined };

type Refusal = Unauthenticated | KeysUnavailable | RoleMissing | TooManyRequests;

const asksForThePast = (query: URLSearchParams): boolean => query.has('revision') || query.has('at');

type Guarded = TokenRequired | TokenOptional;

const rolesFor = (route: Guarded, query: URLSearchParams): Roles =>
  route.access === 'token' && route.past !== undefined && asksForThePast(query) ? route.past : route.roles;

const identify = async (
  { authenticate }: Admission,
  route: Guarded,
  ctx: HttpContext,
): Promise<E.Either<Refusal, Caller | undefined>> => {
  const proven = await authenticate(ctx);
  if (E.isLeft(proven) || proven.right !== undefined || route.access === 'optional token') return proven;
  return E.left({ _tag: 'Unauthenticated' });
};

/** First who it is, then (against the caller, or else its address) how often, then whether a role allows it. */
export const admit = async (
  admission: Admission,
  route: Guarded,
  ctx: HttpContext,
  query: URLSearchParams,
): Promise<E.Either<Refusal, Caller | undefined>> => {
  const identified = await identify(admission, route, ctx);
  const caller = E.isRight(identified) ? identified.right : undefined;
  const refusal = admission.rateLimit?.(caller, ctx);
  if (refusal !== undefined) return E.left(refusal);
  const isAllowed = caller === undefined || hasOneOf(caller, rolesFor(route, query));
  return isAllowed ? identified : E.left({ _tag: 'RoleMissing' });
};
