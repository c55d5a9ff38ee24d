import { open } from 'node:fs/promises';

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
