import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './eventually.js';

/** No promise of the service, only when to give up. */
const LONG_ENOUGH_MS = 90_000;

/** Waits until another process has put a file below a folder, which need not be there before, and gives the paths of all. */
export const untilFiles = async (folder: string): Promise<ReadonlyArray<string>> => {
  // polls: the folder need not be there, so that nothing can be watched
  const files = await eventually(
    async () => {
      const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
      return found.filter((entry) => entry.isFile()).map((file) => path.join(file.parentPath, file.name));
    },
    ({ length }) => length > 0,
    LONG_ENOUGH_MS,
  );
  if (files.length === 0) throw new Error(`there is still no file below ${folder}`);
  return files;
};
