import { either as E } from 'fp-ts';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';

/**
 * The faults of parameters that an operation does not have; `known` are the names of those that it has. For operations
 * whose answer would look like the wanted one without a filter that was misspelt.
 */
export const refuseUnknown = (
  searchParams: URLSearchParams,
  known: ReadonlyArray<string>,
): E.Either<RequestInvalid, undefined> => {
  const unknown = [...new Set(searchParams.keys())].filter((name) => !known.includes(name));
  if (unknown.length === 0) return E.right(undefined);
  const others = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
  const message = `is not a parameter of this operation; ${others}`;
  return E.left(requestInvalid(...unknown.map((path) => ({ path, message }))));
};
