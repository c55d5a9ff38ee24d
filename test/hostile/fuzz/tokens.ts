import jwt from 'jsonwebtoken';

/** The value of an `Authorization` header with a token that the service takes, for a subject with roles. */
export type Tokens = {
  readonly good: (subject: string, roles: ReadonlyArray<string>) => string;
  /** Headers that prove nothing. */
  readonly bad: ReadonlyArray<string>;
};

const SIX_HOURS = 6 * 3600;

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const badTokens = (secret: string): ReadonlyArray<string> => {
  const roles = ['admin'];
  const subject = 'alice';
  const good = jwt.sign({ roles }, secret, { subject, expiresIn: SIX_HOURS });
  const [head = '', payload = '', signature = ''] = good.split('.');
  const tokens = [
    jwt.sign({ roles }, secret, { subject, expiresIn: -60 }),
    jwt.sign({ roles }, secret, { subject, expiresIn: SIX_HOURS, notBefore: 3600 }),
    jwt.sign({ roles }, secret, { subject }),
    jwt.sign({ roles }, secret, { expiresIn: SIX_HOURS }),
    jwt.sign({ roles }, secret, { subject: '', expiresIn: SIX_HOURS }),
    jwt.sign({ roles }, secret, { subject: 'a\u0000b', expiresIn: SIX_HOURS }),
    jwt.sign({ roles }, secret, { subject: 'x'.repeat(256), expiresIn: SIX_HOURS }),
    jwt.sign({ roles, sub: 5 }, secret, { expiresIn: SIX_HOURS }),
    jwt.sign({ roles }, secret, { subject, expiresIn: SIX_HOURS, algorithm: 'HS512' }),
    jwt.sign({ roles }, 'another secret of the tests, of 32 bytes', { subject, expiresIn: SIX_HOURS }),
    `${segment({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${segment({ alg: 'RS256', typ: 'JWT' })}.${payload}.${signature}`,
    `${head}.${segment({ sub: subject, exp: 4e9, roles })}.${signature}`,
    `${head}.${payload}`,
    `${head}.${payload}.${signature}.x`,
    `${good}x`,
    'x.y.z',
    '..',
    'x'.repeat(8000),
  ];
  return [
    ...tokens.map((token) => `Bearer ${token}`),
    '',
    'Bearer',
    'Bearer ',
    `Basic ${good}`,
    good,
    `Bearer ${good} x`,
  ];
};

/** Tokens signed with the secret of the service. */
export const makeTokens = (secret: string): Tokens => {
  const known = new Map<string, string>();
  const good = (subject: string, roles: ReadonlyArray<string>): string => {
    const key = JSON.stringify([subject, roles]);
    const token = known.get(key) ?? `Bearer ${jwt.sign({ roles }, secret, { subject, expiresIn: SIX_HOURS })}`;
    known.set(key, token);
    return token;
  };
  return { good, bad: badTokens(secret) };
};
