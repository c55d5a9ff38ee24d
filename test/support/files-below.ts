import { readdir } from 'node:fs/promises';

/** The names of all files in a directory and below. */
export const filesBelow = async (root: string): Promise<ReadonlyArray<string>> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
