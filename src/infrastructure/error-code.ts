/** The `code` of an error: Node's for a system call, Postgres's SQLSTATE, S3's of a response. Empty when it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
