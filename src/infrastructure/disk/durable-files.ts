import { link, open, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../error-code.js';
import type { Random } from '../../event-sourcing/random.js';

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
export const createPrivateFile = (file: string, text: string): Promise<void> =>
  writeFile(file, text, { flag: 'wx', mode: 0o600, flush: true });

/** Gives a file that is synced already a second name, and syncs that; false when the name is taken: a rename would overwrite. */
export const linkDurably = async (from: string, to: string): Promise<boolean> => {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  await syncDirectory(path.dirname(to));
  return true;
};

/**
 * Creates a private file that several processes may create at once: it holds the text of the first, and nobody reads half
 * of it. False when it exists already.
 */
export const createFirst = async (random: Random, file: string, text: string): Promise<boolean> => {
  const temporary = `${file}.${random.bytes(6).toString('hex')}`;
  try {
    await createPrivateFile(temporary, text);
    return await linkDurably(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
};

/** Renames a file or directory that is synced already, and syncs its new name. */
export const renameDurably = async (from: string, to: string): Promise<void> => {
  await rename(from, to);
  await syncDirectory(path.dirname(to));
};
