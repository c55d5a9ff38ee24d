import { either as E } from 'fp-ts';
import type { PreconditionFailed } from '../../event-sourcing/command/command-call.js';
import { type Conditions, evaluate } from '../request/conditions.js';
import type { HttpResponse } from './http-response.js';

/**
 * The response that the conditions of a GET demand, whatever the body: 304, or a failure at the revision `current`.
 * Undefined when the body is to be sent; `tag` is its entity tag.
 */
export const conditionalResponse = (
  conditions: Conditions,
  tag: string,
  current: PreconditionFailed['current'],
): E.Either<PreconditionFailed, HttpResponse> | undefined => {
  switch (evaluate(conditions, tag)) {
    case 'Go':
      return undefined;
    case 'IfNoneMatchFailed':
      return E.right({ status: 304, headers: ['ETag', tag] });
    case 'IfMatchFailed':
      return E.left({ _tag: 'PreconditionFailed', current });
  }
};
