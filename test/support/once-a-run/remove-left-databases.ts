import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stateDirectory } from '../../../src/infrastructure/embedded/relocated-data.js';
import { unlessMissing } from '../../../src/infrastructure/disk/missing-files.js';

/**
 * Removes the databases that root keeps beside a DATA_DIR which was a temporary one and is no longer there: nobody can use
 * them, and a run of all tests leaves some two gigabytes.
 */
export const removeLeftDatabases = async (): Promise<void> => {
  for (const name of (await unlessMissing(readdir(stateDirectory))) ?? []) {
    const directory = path.join(stateDirectory, name);
    const dataDir = (await unlessMissing(readFile(path.join(directory, 'belongs-to'), 'utf8')))?.trim();
    if (dataDir?.startsWith(tmpdir() + path.sep) === true && !existsSync(dataDir))
      await rm(directory, { recursive: true, force: true });
  }
};
