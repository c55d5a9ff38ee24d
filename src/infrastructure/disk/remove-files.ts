import { opendir, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { unlessMissing } from './unless-missing.js';

/** A removal that a power loss undoes leaves an object that no event names: the sweep finds it again. */
export const removeIfThere = async (file: string): Promise<void> => {
  await unlessMissing(unlink(file));
};

/** Removes the files of a directory that were last written to before `before`; how many. */
export const removeOldFiles = async (directory: string, before: Date): Promise<number> => {
  let removed = 0;
  for await (const { name } of await opendir(directory)) {
    const file = path.join(directory, name);
    const found = await unlessMissing(stat(file));
    if (found === undefined || found.mtime >= before) continue;
    await removeIfThere(file);
    removed += 1;
  }
  return removed;
};
