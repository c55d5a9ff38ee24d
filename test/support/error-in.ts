/** An error as it was answered, without its requestId, which is another one each time. Throws where it has none. */
export const errorIn = (json: unknown): Readonly<Record<string, unknown>> => {
  // reason: what it has is compared by whoever asks
  const { requestId, ...error } = json as Readonly<Record<string, unknown>>;
  if (typeof requestId !== 'string' || requestId === '') throw new Error('the error has no requestId');
  return error;
};
