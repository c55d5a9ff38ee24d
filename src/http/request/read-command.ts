import { either as E } from 'fp-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { AuthorizedContext } from '../request-context.js';
import type { BodyFailure, RequestInvalid } from '../problem/failure.js';
import { both } from './both.js';
import { jsonBody } from './json-body.js';
import { commandContextOf } from './command-context-of.js';
import { readBody } from '../parameters/unknown.js';

/**
 * Where a command comes from, and what it asks for by its JSON body; the faults of headers and body at once. `taken`: what a
 * body of another type is told, where the operation takes more than JSON.
 */
export const readCommand = async <Wanted>(
  request: AuthorizedContext,
  read: (body: unknown) => E.Either<RequestInvalid, Wanted>,
  taken?: string,
): Promise<E.Either<BodyFailure, readonly [CommandContext, Wanted]>> => {
  const body = await jsonBody(request.ctx, taken);
  return E.isLeft(body) ? body : both(commandContextOf(request), readBody(request, read, body.right));
};
