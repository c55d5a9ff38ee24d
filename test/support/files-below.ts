import { readdir } from 'node:fs/promises';
import path from 'node:path';

/** The names of all files in a directory and below. */
export const filesBelow = async (root: string): Promise<ReadonlyArray<string>> =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

/**
 * The names of the files of documents in a data directory or a backup. The first sweep, a minute after the service has begun, puts
 * a mark of the log beside them.
 */
export const documentFilesIn = async (directory: string): Promise<ReadonlyArray<string>> =>
  (await filesBelow(path.join(directory, 'files', 'objects'))).filter((name) => name.startsWith('documents_'));
