import { either as E } from 'fp-ts';
import type { Authenticate, Identified } from '../authentication/authenticate.js';
import { type Caller, hasOneOf, type Roles } from '../authentication/roles.js';
import type { KoaContext } from '../request-context.js';
import type { QueryValues } from '../parameters/query.js';
import type { Failure } from '../problem/failure.js';
import type { RateLimit } from './rate-limit.js';
import type { TokenOptional, TokenRequired } from '../route.js';

export type Admission = { readonly authenticate: Authenticate; readonly rateLimit?: RateLimit | undefined };

/** Whether an earlier state is asked for. */
export const asksForPast = (query: QueryValues): boolean =>
  Object.hasOwn(query, 'revision') || Object.hasOwn(query, 'at');

export type Guarded = TokenRequired | TokenOptional;

const rolesFor = (route: Guarded, query: QueryValues): Roles | 'any' =>
  route.access === 'token' && route.past !== undefined && asksForPast(query) ? route.past : route.roles;

/**
 * Checks what came of the token, then the rate limit of the caller (or else of its address), then the roles. Undefined:
 * there is no token.
 */
export const admit = (
  { rateLimit }: Pick<Admission, 'rateLimit'>,
  route: Guarded,
  ctx: KoaContext,
  query: QueryValues,
  identified: Identified,
): E.Either<Failure, Caller | undefined> => {
  const caller = E.isRight(identified) ? identified.right : undefined;
  const exceeded = rateLimit?.(caller, ctx);
  if (exceeded !== undefined) return E.left(exceeded);
  const roles = rolesFor(route, query);
  if (caller === undefined || roles === 'any' || hasOneOf(caller, roles)) return identified;
  return E.left({ _tag: 'RoleMissing', roles });
};
