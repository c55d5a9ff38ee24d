import { opendir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../error-code.js';

/** The result of a file system call; undefined when its file does not exist (another process may have removed it). */
export const unlessMissing = async <A>(call: Promise<A>): Promise<A | undefined> => {
  try {
    return await call;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

/** Removes the files of a directory that were last written to before `before`. Returns how many. */
export const removeOldFiles = async (directory: string, before: Date): Promise<number> => {
  let removed = 0;
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    const stats = await unlessMissing(stat(file));
    if (stats === undefined || stats.mtime >= before) continue;
    await rm(file, { force: true });
    removed += 1;
  }
  return removed;
};
