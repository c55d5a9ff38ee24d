import { opendir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../error-code.js';

/** Whether an error of the file system says that a file does not exist. */
export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT';

/** The result of a file system call; undefined when its file does not exist (another process may have removed it). */
export const unlessMissing = async <A>(call: Promise<A>): Promise<A | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};

/** Not synced: a removal that a power loss undoes leaves an object that no event names, and the sweep removes that. */
export const removeIfExists = async (file: string): Promise<void> => {
  await unlessMissing(unlink(file));
};

/** Removes the files of a directory that were last written to before `before`. Returns how many. */
export const removeOldFiles = async (directory: string, before: Date): Promise<number> => {
  let removed = 0;
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    const stats = await unlessMissing(stat(file));
    if (stats === undefined || stats.mtime >= before) continue;
    await removeIfExists(file);
    removed += 1;
  }
  return removed;
};
