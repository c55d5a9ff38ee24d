/** From the least to the most; each may what the one before it may. */
const allRoles = ['viewer', 'auditor', 'editor', 'admin'] as const;

type Role = (typeof allRoles)[number];

export type Roles = ReadonlyArray<Role>;

export const viewers: Roles = allRoles;
export const auditors: Roles = ['auditor', 'editor', 'admin'];
export const editors: Roles = ['editor', 'admin'];
export const admins: Roles = ['admin'];

export const isRole = (text: unknown): text is Role => allRoles.some((role) => role === text);

/** Who is asking: the subject of a verified token, and its roles. */
export type Caller = {
  readonly subject: string;
  readonly roles: Roles;
  /** When the token expires, seconds since 1970. */
  readonly expiresAt: number;
};

export const hasOneOf = ({ roles }: Caller, allowed: Roles): boolean => roles.some((role) => allowed.includes(role));
