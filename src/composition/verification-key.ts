import type { Config } from '../config.js';
import type { Clock } from '../event-sourcing/clock.js';
import { makeAuthenticate } from '../http/authentication/authenticate.js';
import type { VerificationKey } from '../http/authentication/signing-keys.js';
import { reasonOf } from '../event-sourcing/reason-of.js';
import type { Random } from '../event-sourcing/random.js';
import type { Adapters } from './adapters.js';

/** Throws, before anything is opened, when the configured public key cannot verify tokens. */
export const requireUsableKey = (clock: Clock, { jwt: { key } }: Config): void => {
  if (key._tag !== 'PublicKey') return;
  try {
    makeAuthenticate(clock, { key });
  } catch (cause) {
    throw new Error(`JWT_PUBLIC_KEY: ${reasonOf(cause)}`, { cause });
  }
};

/** The key that tokens are verified with; without a configured one, that of this data directory. */
export const verificationKey = async (
  { keys, fetch }: Pick<Adapters, 'keys' | 'fetch'>,
  random: Random,
  { jwt: { key }, dataDir }: Config,
): Promise<VerificationKey> => {
  if (key._tag === 'Development') return { _tag: 'Secret', secret: await keys.developmentSecret(random, dataDir) };
  return key._tag === 'Jwks' ? { ...key, fetch } : key;
};
