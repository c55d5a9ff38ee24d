import jwt from 'jsonwebtoken';

/** What the stacks of the tests sign and verify with. */
export const SECRET = 'a secret of the tests, of 32 bytes and more';

/** A token that every stack takes. */
export const tokenFor = (roles: string | ReadonlyArray<string>, subject = 'alice'): string =>
  jwt.sign({ roles }, SECRET, { algorithm: 'HS256', subject, expiresIn: 600 });
