import { either as E } from 'fp-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { AuthorizedContext } from '../request-context.js';
import type { BodyFailure, RequestInvalid } from '../problem/failure.js';
import { both } from './both.js';
import { jsonBody } from './json-body.js';
import { commandContextOf } from './command-context-of.js';
import type { TakenBody } from './media-type.js';
import { readBody } from '../parameters/unknown.js';

/**
 * Where a command comes from, and what it asks for by its JSON body; the faults of headers and body at once. `taken`: the
 * bodies that the operation takes, where JSON is not the only one.
 */
export const readCommand = async <Wanted>(
  request: AuthorizedContext,
  read: (body: unknown) => E.Either<RequestInvalid, Wanted>,
  taken?: TakenBody,
): Promise<E.Either<BodyFailure, readonly [CommandContext, Wanted]>> => {
  const body = await jsonBody(request.ctx, taken);
  return E.isLeft(body) ? body : both(commandContextOf(request), readBody(request, read, body.right));
};
