import { either as E } from 'fp-ts';

/** What `work` resolves to; what it throws or rejects with becomes a failure that `failureOf` names. */
export const attempt = async <Failure, A>(
  work: () => Promise<A>,
  failureOf: (thrown: unknown) => Failure,
): Promise<E.Either<Failure, A>> => {
  try {
    return E.right(await work());
  } catch (thrown) {
    return E.left(failureOf(thrown));
  }
};

/** The inverse of `attempt`, for iterators and other work that ends with what it throws. */
export const orThrow = <A>(result: E.Either<Error, A>): A => {
  if (E.isLeft(result)) throw result.left;
  return result.right;
};
