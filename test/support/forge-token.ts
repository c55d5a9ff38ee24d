import { createHmac, type KeyObject, sign } from 'node:crypto';

type Algorithm = 'HS256' | 'RS256' | 'ES256';

const signatureOf = (algorithm: Algorithm, text: string, key: KeyObject | string): string =>
  typeof key === 'string' || key.type === 'secret'
    ? createHmac('sha256', key).update(text).digest('base64url')
    : sign('sha256', Buffer.from(text), { key, dsaEncoding: algorithm === 'ES256' ? 'ieee-p1363' : 'der' }).toString(
        'base64url',
      );

/** JSON as it is given when it is text, so that it can say what no value says: 1e999, a key twice. */
const encoded = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

/** A token put together by hand, as an attacker does it; `header` and `payload` may be anything, and raw JSON as text. */
export const forgeToken = (
  header: unknown,
  payload: unknown,
  algorithm: Algorithm,
  key: KeyObject | string,
): string => {
  const text = `${encoded(header)}.${encoded(payload)}`;
  return `${text}.${signatureOf(algorithm, text, key)}`;
};

/** A token whose signature is the given text. */
export const unsignedToken = (header: unknown, payload: unknown, signature: string): string =>
  `${encoded(header)}.${encoded(payload)}.${signature}`;
