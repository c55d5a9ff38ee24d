/** What went wrong, with what lay behind it, in one line. */
export const messageOf = (error: Error): string => {
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== '' && !message.includes(cause.message)
    ? `${message}: ${messageOf(cause)}`
    : message;
};
