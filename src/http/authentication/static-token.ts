import { createHash, timingSafeEqual } from 'node:crypto';
import { either as E } from 'fp-ts';
import type { Authenticate } from './authenticate.js';
import { bearerToken } from './bearer-token.js';
import type { Caller } from './roles.js';

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();

/**
 * Takes one configured token for a caller; `otherwise` says of every other request who sent it. Digests are compared, and in
 * constant time, so that the time of an answer tells neither the token nor its length.
 */
export const acceptToken = (token: string, caller: Caller): ((otherwise: Authenticate) => Authenticate) => {
  const expected = digestOf(token);
  return (otherwise) => (ctx) => {
    const sent = bearerToken(ctx.req.headers.authorization ?? '');
    return sent !== undefined && timingSafeEqual(digestOf(sent), expected) ? E.right(caller) : otherwise(ctx);
  };
};
