import { open, rename } from 'node:fs/promises';
import path from 'node:path';

/** Makes the names in a directory survive a power loss. Windows cannot sync a directory and needs no such call. */
export const syncDirectory = async (directory: string): Promise<void> => {
  if (process.platform === 'win32') return;
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Creates a file that only its owner may read, and syncs it to disk. Throws `EEXIST` when it exists. */
export const createPrivateFile = async (file: string, text: string): Promise<void> => {
  const handle = await open(file, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Renames a file or directory that is synced already, and syncs its new name. */
export const renameDurably = async (from: string, to: string): Promise<void> => {
  await rename(from, to);
  await syncDirectory(path.dirname(to));
};
