import { open, rename } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '../disk/sync-directory.js';

/** Creates a file that is on disk, readable by its owner alone, when the promise resolves. Refuses an existing one. */
export const writeSecretly = async (file: string, text: string): Promise<void> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Moves a finished file or directory to its name, for good. */
export const publish = async (from: string, to: string): Promise<void> => {
  await rename(from, to);
  await syncDirectory(path.dirname(to));
};
