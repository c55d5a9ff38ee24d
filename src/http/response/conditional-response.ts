import { either as E } from 'fp-ts';
import type { TagNotMatched } from '../problem/failure.js';
import { type Conditions, evaluate } from '../request/conditions.js';
import { matchesTagWeakly } from '../request/entity-tags.js';
import type { HttpResponse } from './http-response.js';

/**
 * The response that the conditions of a GET demand, whatever the body: 304, or a failure. Undefined when the body is to be
 * sent; `tag` is its entity tag.
 */
export const conditionalResponse = (
  conditions: Conditions,
  tag: string,
): E.Either<TagNotMatched, HttpResponse> | undefined => {
  switch (evaluate(conditions, tag, matchesTagWeakly)) {
    case 'Go':
      return undefined;
    case 'IfNoneMatchFailed':
      return E.right({ status: 304, headers: ['ETag', tag] });
    case 'IfMatchFailed':
      return E.left({ _tag: 'TagNotMatched', tag });
  }
};
