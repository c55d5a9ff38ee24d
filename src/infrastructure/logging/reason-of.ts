/** What a cause says of itself, in one line. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  // where a name has several addresses, each of them has failed and the whole says nothing
  return cause instanceof AggregateError && cause.message === ''
    ? cause.errors.map(reasonOf).join('; ')
    : cause.message;
};
