import { either as E } from 'fp-ts';
import jwt from 'jsonwebtoken';
import { isActor } from '../application/actor.js';
import type { Config } from '../config.js';
import type { Clock } from '../event-sourcing/clock.js';

type TokenRequest = {
  readonly user: string;
  readonly roles: ReadonlyArray<string>;
  /** Seconds until it expires. */
  readonly lifetime: number;
};

/**
 * Signs a token that this configuration accepts. Left: why it cannot (the service holds only public keys and cannot
 * sign, or would not accept such a user). `developmentSecret` is asked for only when no key is configured.
 */
export const signToken = async (
  clock: Pick<Clock, 'date'>,
  { key, issuer, audience }: Config['jwt'],
  { user, roles, lifetime }: TokenRequest,
  developmentSecret: () => Promise<string>,
): Promise<E.Either<string, string>> => {
  if (key._tag === 'PublicKey' || key._tag === 'Jwks')
    return E.left('tokens are signed elsewhere: this service is configured with a public key and can only verify them');
  if (!isActor(user)) return E.left('the user must be a text of at most 255 characters that is not blank');
  const secret = key._tag === 'Secret' ? key.secret : await developmentSecret();
  return E.right(
    jwt.sign({ roles, iat: Math.floor(clock.date().getTime() / 1_000) }, secret, {
      algorithm: 'HS256',
      subject: user,
      expiresIn: lifetime,
      ...(issuer === undefined ? {} : { issuer }),
      ...(audience === undefined ? {} : { audience }),
    }),
  );
};
