import { createPublicKey, type KeyObject } from 'node:crypto';
import * as t from 'io-ts';
import { type Algorithm, algorithmOf } from './algorithm.js';

/** A key of a JWK set, and the only algorithm that it verifies. */
export type PublishedKey = {
  readonly kid: string | undefined;
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
};

/** RFC 7517 §4: members that restrict the use of a key. With `d`, the private key itself has been published. */
const Jwk = t.partial({
  kid: t.string,
  alg: t.string,
  use: t.literal('sig'),
  key_ops: t.array(t.string),
  d: t.undefined,
});

const imported = (jwk: object): KeyObject | undefined => {
  try {
    return createPublicKey({ key: { ...jwk }, format: 'jwk' });
  } catch {
    return undefined;
  }
};

const publishedKey = (jwk: unknown): ReadonlyArray<PublishedKey> => {
  if (!Jwk.is(jwk) || jwk.key_ops?.includes('verify') === false) return [];
  const key = imported(jwk);
  const algorithm = key === undefined ? undefined : algorithmOf(key);
  const isOf = algorithm !== undefined && (jwk.alg ?? algorithm) === algorithm;
  return key !== undefined && isOf ? [{ kid: jwk.kid, algorithm, key }] : [];
};

/** The keys of a JWK set that verify tokens; every other key is passed over, however odd it is (RFC 7517 §5). */
export const publishedKeys = (jwks: ReadonlyArray<unknown>): ReadonlyArray<PublishedKey> => jwks.flatMap(publishedKey);
