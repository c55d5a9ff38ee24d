import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import { isActor } from '../../application/actor.js';
import { type Caller, Role, type Roles } from './roles.js';

const Claims = t.intersection([
  t.type({ exp: t.number, sub: t.string }),
  t.partial({ nbf: t.unknown, iat: t.unknown, roles: t.unknown, role: t.unknown, iss: t.unknown, jti: t.unknown }),
]);

/** RFC 7519 §2, NumericDate. JSON has no infinity, and yet 1e999 is read as one: such a token would never expire. */
const isTime = (claim: unknown): boolean => Number.isFinite(claim);

const namesIn = (claim: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(claim)) return claim;
  return typeof claim === 'string' ? claim.split(' ') : [];
};

const rolesIn = (...claims: ReadonlyArray<unknown>): Roles => claims.flatMap(namesIn).filter(Role.is);

/** Characters of a claim that the log has, as of a subject. */
const MOST_LOGGED = 255;

const BEGINNING = new RegExp(`^.{0,${MOST_LOGGED}}`, 'su');

/** What nobody sees, moves the cursor of a terminal, or ends a line there. */
const UNSAFE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** A claim as the log has it: its beginning, without what would deceive a reader. Undefined of what is no text. */
const loggedClaim = (claim: unknown): string | undefined => {
  if (typeof claim !== 'string' || claim === '') return undefined;
  const [beginning = ''] = BEGINNING.exec(claim) ?? [];
  return `${beginning.replace(UNSAFE, '�')}${beginning.length < claim.length ? '…' : ''}`;
};

/** The caller that a verified token names. Left: why it names none. Unknown roles are ignored. */
export const provenBy = (payload: unknown): E.Either<string, Caller> => {
  if (!Claims.is(payload) || !isActor(payload.sub)) return E.left('The token must have an expiry and a subject');
  const { sub, exp, nbf = 0, iat = 0, roles, role, iss, jti } = payload;
  return [exp, nbf, iat].every(isTime)
    ? E.right({
        subject: sub,
        roles: rolesIn(roles, role),
        expiresAt: exp,
        token: { iss: loggedClaim(iss), jti: loggedClaim(jti) },
      })
    : E.left('The times of the token (exp, nbf, iat) must be finite numbers');
};
