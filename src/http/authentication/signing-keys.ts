import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { type KeyLookup, makeKeySet } from './key-set.js';
import type { VerificationKey } from './token-verification.js';

type SigningKeys = {
  readonly algorithms: ReadonlyArray<'HS256' | 'RS256' | 'ES256'>;
  readonly key: KeyObject | KeyLookup;
};

const publicKey = (pem: string): SigningKeys => {
  const key = createPublicKey(pem);
  const type = key.asymmetricKeyType;
  if (type === 'rsa') return { algorithms: ['RS256'], key };
  if (type === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return { algorithms: ['ES256'], key };
  throw new Error(`tokens are verified by an RSA or P-256 key, not by one of type ${type ?? 'secret'}`);
};

/** The key material and the only algorithms that may come with it; `now` is in ms. Throws on a key that is of no use. */
export const signingKeysOf = (key: VerificationKey, now: () => number): SigningKeys => {
  switch (key._tag) {
    case 'Secret':
      return { algorithms: ['HS256'], key: createSecretKey(Buffer.from(key.secret, 'utf8')) };
    case 'PublicKey':
      return publicKey(key.pem);
    case 'Jwks':
      return { algorithms: ['RS256', 'ES256'], key: makeKeySet(key.uri, now) };
  }
};
