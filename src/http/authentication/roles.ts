import * as t from 'io-ts';

export const Role = t.keyof({ viewer: null, auditor: null, editor: null, admin: null });

type Role = t.TypeOf<typeof Role>;

/** From the least to the most; each may what the one before it may. */
const allRoles: ReadonlyArray<Role> = ['viewer', 'auditor', 'editor', 'admin'];

export type Roles = ReadonlyArray<Role>;

export const viewers: Roles = allRoles;
export const auditors: Roles = ['auditor', 'editor', 'admin'];
/** Who may see who read what: an editor is one of those who are seen. */
export const overseers: Roles = ['auditor', 'admin'];
export const editors: Roles = ['editor', 'admin'];
export const admins: Roles = ['admin'];

/** Who is asking: the subject of a verified token, and its roles. */
export type Caller = {
  readonly subject: string;
  readonly roles: Roles;
  /** When the token expires, seconds since 1970. */
  readonly expiresAt: number;
  /** Which token it was, as the log says it: bounded texts; undefined of a caller without a signed token. */
  readonly token?: { readonly iss: string | undefined; readonly jti: string | undefined };
};

export const hasOneOf = ({ roles }: Caller, allowed: Roles): boolean => roles.some((role) => allowed.includes(role));
