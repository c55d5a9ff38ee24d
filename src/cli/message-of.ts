/** The messages of an error and of its causes, in one line. */
export const messageOf = (error: Error): string => {
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== '' && !message.includes(cause.message)
    ? `${message}: ${messageOf(cause)}`
    : message;
};
