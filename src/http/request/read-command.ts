import { either as E } from 'fp-ts';
import type { Origin } from '../../application/origin.js';
import type { AuthorizedExchange } from '../exchange.js';
import type { BodyFailure, RequestInvalid } from '../problem/failure.js';
import { both } from './both.js';
import { jsonBody } from './json-body.js';
import { originOf } from './origin-of.js';

/** Where a command comes from, and what it asks for by its JSON body; the faults of headers and body at once. */
export const readCommand = async <Asked>(
  exchange: AuthorizedExchange,
  read: (body: unknown) => E.Either<RequestInvalid, Asked>,
): Promise<E.Either<BodyFailure, readonly [Origin, Asked]>> => {
  const body = await jsonBody(exchange.ctx);
  return E.isLeft(body) ? body : both(originOf(exchange), read(body.right));
};
