import { statfs } from 'node:fs/promises';

/** Bytes that we may still write on the disk of a directory; undefined where the system does not say. */
export const freeBytesOf = async (directory: string): Promise<number | undefined> => {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch {
    return undefined;
  }
};
