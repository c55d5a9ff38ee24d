import type { KeyObject } from 'node:crypto';

/** What a token may be signed with. */
export type Algorithm = 'HS256' | 'RS256' | 'ES256';

/** RFC 7518 §3.3: a shorter RSA key must not be used. */
export const LEAST_RSA_BITS = 2048;

/** The one algorithm that a public key verifies here; undefined for a key that must not verify any token. */
export const algorithmOf = ({
  asymmetricKeyType: type,
  asymmetricKeyDetails: details,
}: KeyObject): 'RS256' | 'ES256' | undefined => {
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= LEAST_RSA_BITS) return 'RS256';
  return type === 'ec' && details?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
};
