import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../../event-sourcing/clock.js';
import { type Algorithm, algorithmOf, LEAST_RSA_BITS } from './algorithm.js';
import { type Endpoint, type KeyLookup, makeKeySet } from './key-set.js';

/** What tokens are verified with. The key fixes the algorithm: HS256, or RS256 or ES256 by the kind of the key. */
export type VerificationKey =
  | { readonly _tag: 'Secret'; readonly secret: string }
  | { readonly _tag: 'PublicKey'; readonly pem: string }
  | ({ readonly _tag: 'Jwks' } & Endpoint);

/** The keys, and the only algorithms that tokens may be signed with. */
type SigningKeys = KeyLookup & { readonly algorithms: ReadonlyArray<Algorithm> };

const only = (algorithm: Algorithm, key: KeyObject): SigningKeys => ({
  algorithms: [algorithm],
  find: () => Promise.resolve([key]),
  findNewer: () => Promise.resolve([]),
});

const read = (pem: string): KeyObject => {
  try {
    return createPublicKey(pem);
  } catch (cause) {
    throw new Error('the key cannot be read: tokens are verified by an RSA or P-256 key in PEM form', { cause });
  }
};

const described = ({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): string =>
  type === 'rsa'
    ? `one of type rsa with ${details?.modulusLength ?? 0} bits`
    : `one of type ${type ?? 'secret'} ${details?.namedCurve ?? ''}`.trim();

const publicKey = (pem: string): SigningKeys => {
  const key = read(pem);
  const algorithm = algorithmOf(key);
  if (algorithm !== undefined) return only(algorithm, key);
  const allowed = `an RSA or P-256 key, of at least ${LEAST_RSA_BITS} bits when it is RSA (RFC 7518 §3.3)`;
  throw new Error(`tokens are verified by ${allowed}, not by ${described(key)}`);
};

/** Throws on a key that must not verify tokens, with a sentence that says what is wrong with it. */
export const signingKeysOf = (clock: Clock, key: VerificationKey): SigningKeys => {
  switch (key._tag) {
    case 'Secret':
      return only('HS256', createSecretKey(Buffer.from(key.secret, 'utf8')));
    case 'PublicKey':
      return publicKey(key.pem);
    case 'Jwks':
      return { algorithms: ['RS256', 'ES256'], ...makeKeySet(clock, key) };
  }
};
