/** The message of whatever was thrown. */
export const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause);
  // connecting to a name fails with one error for each of its addresses, and no message of its own
  return cause instanceof AggregateError && cause.message === ''
    ? cause.errors.map(reasonOf).join('; ')
    : cause.message;
};
