import * as t from 'io-ts';
import { type Caller, isRole, type Roles } from './roles.js';

const Claims = t.intersection([
  t.type({ exp: t.number, sub: t.string }),
  t.partial({ roles: t.unknown, role: t.unknown }),
]);

const MAX_SUBJECT = 255;

/** C0 control characters, and halves of surrogate pairs: the subject ends up in the log as text. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const NOT_TEXT = /[\u0000-\u001f]|\p{Surrogate}/u;

const isSubject = (sub: string): boolean =>
  sub.trim() !== '' && Array.from(sub).length <= MAX_SUBJECT && !NOT_TEXT.test(sub);

const namesIn = (claim: unknown): ReadonlyArray<unknown> => {
  if (Array.isArray(claim)) return claim;
  return typeof claim === 'string' ? claim.split(' ') : [];
};

const rolesIn = (...claims: ReadonlyArray<unknown>): Roles => claims.flatMap(namesIn).filter(isRole);

/** A caller, and until when (seconds since 1970) its token proves it. */
export type Proven = { readonly caller: Caller; readonly expiresAt: number };

/** Who a verified token is of; undefined when it lacks an expiry or a subject. Unknown roles count for nothing. */
export const provenBy = (payload: unknown): Proven | undefined => {
  if (!Claims.is(payload) || !isSubject(payload.sub)) return undefined;
  const { sub, exp, roles, role } = payload;
  return { caller: { subject: sub, roles: rolesIn(roles, role) }, expiresAt: exp };
};
