import { either as E } from 'fp-ts';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';

/** Two parts of one request; where either is invalid, the faults of both together. */
export const both = <A, B>(
  one: E.Either<RequestInvalid, A>,
  other: E.Either<RequestInvalid, B>,
): E.Either<RequestInvalid, readonly [A, B]> => {
  if (E.isLeft(one)) return E.isLeft(other) ? E.left(requestInvalid(...one.left.errors, ...other.left.errors)) : one;
  return E.isLeft(other) ? other : E.right([one.right, other.right]);
};
