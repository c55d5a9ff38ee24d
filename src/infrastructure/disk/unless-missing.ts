/** Whether a file system's error says that a file is not there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** What a file system call gives, or undefined when its file is not there. */
export const unlessMissing = async <A>(call: Promise<A>): Promise<A | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
