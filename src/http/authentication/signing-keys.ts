import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import { JwksClient, SigningKeyNotFoundError } from 'jwks-rsa';
import type { VerificationKey } from './token-verification.js';

/** The key of a token's header `kid`, once it has been fetched. */
type KeyLookup = (header: { readonly kid?: string }) => Promise<KeyObject>;

type SigningKeys = {
  readonly algorithms: ReadonlyArray<'HS256' | 'RS256' | 'ES256'>;
  readonly key: KeyObject | KeyLookup;
};

/** The JWKS endpoint did not give its keys, so nobody can tell whether a token's key is one of them. */
export class SigningKeysUnavailable extends Error {
  constructor(cause: unknown) {
    super('the signing keys cannot be fetched', { cause });
    this.name = 'SigningKeysUnavailable';
  }
}

const MINUTE = 60_000;

/** Known keys are kept for ten minutes, and for a day while the endpoint is away; unknown ones are asked for again. */
const jwks = (uri: string): SigningKeys => {
  const client = new JwksClient({
    jwksUri: uri,
    timeout: 5000,
    cache: true,
    cacheMaxEntries: 32,
    cacheMaxAge: 10 * MINUTE,
    cacheMaxAgeFallback: 24 * 60 * MINUTE,
    // Tokens with made-up key ids must not become a flood on the endpoint.
    rateLimit: true,
    jwksRequestsPerMinute: 30,
  });
  const key: KeyLookup = async ({ kid }) => {
    try {
      return createPublicKey((await client.getSigningKey(kid)).getPublicKey());
    } catch (error) {
      if (error instanceof SigningKeyNotFoundError) throw error;
      throw new SigningKeysUnavailable(error);
    }
  };
  return { algorithms: ['RS256', 'ES256'], key };
};

const publicKey = (pem: string): SigningKeys => {
  const key = createPublicKey(pem);
  const type = key.asymmetricKeyType;
  if (type === 'rsa') return { algorithms: ['RS256'], key };
  if (type === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return { algorithms: ['ES256'], key };
  throw new Error(`tokens are verified by an RSA or P-256 key, not by one of type ${type ?? 'secret'}`);
};

/** The key material and the only algorithms that may come with it. Throws on a key that is of no use. */
export const signingKeysOf = (key: VerificationKey): SigningKeys => {
  switch (key._tag) {
    case 'Secret':
      return { algorithms: ['HS256'], key: createSecretKey(Buffer.from(key.secret, 'utf8')) };
    case 'PublicKey':
      return publicKey(key.pem);
    case 'Jwks':
      return jwks(key.uri);
  }
};
