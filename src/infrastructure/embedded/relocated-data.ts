import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { createFirst, createPrivateFile } from '../disk/durable-files.js';
import { unlessMissing } from '../disk/missing-files.js';
import type { Random } from '../../event-sourcing/random.js';

/**
 * Where root keeps data and programs for Postgres when DATA_DIR or the package is below a directory that only root may
 * enter, such as /root.
 */
export const stateDirectory = '/var/lib/business-document-service';

/** Other users may pass through our directories, but not list them. */
const traverseOnly = 0o711;

export const makeTraversable = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true });
  await chmod(directory, traverseOnly); // mkdir's mode would be reduced by the umask
};

const pointerIn = (dataDir: string): string => path.join(dataDir, 'postgres.place');

/** The directory that `<DATA_DIR>/postgres.place` names; undefined without such a file. */
export const readRelocation = async (dataDir: string): Promise<string | undefined> =>
  (await unlessMissing(readFile(pointerIn(dataDir), 'utf8')))?.trim();

/** Says that the data of a DATA_DIR is elsewhere, and how to remove it; undefined where it is in DATA_DIR. */
export const saidElsewhere = async (dataDir: string): Promise<string | undefined> => {
  const directory = await readRelocation(dataDir);
  return directory === undefined
    ? undefined
    : `the database is in ${directory} and not in ${path.resolve(dataDir)}, which the account of Postgres may not enter; ` +
        'who removes the data removes both directories';
};

const prefixOf = (dataDir: string): string => `${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-`;

/** What `relocateData` has made for a DATA_DIR of this path, if only an earlier one that was removed. */
const relocatedFrom = async (dataDir: string): Promise<ReadonlyArray<string>> =>
  (await readdir(stateDirectory))
    .filter((name) => name.startsWith(prefixOf(dataDir)))
    .map((name) => path.join(stateDirectory, name));

/** Says where the data of a DATA_DIR still is that need not be there itself; nothing where that cannot be known. */
export const saidRelocated = async (dataDir: string): Promise<ReadonlyArray<string>> => {
  const directory = path.resolve(dataDir);
  try {
    const parent = await realpath(path.dirname(directory));
    const found = await relocatedFrom(path.join(parent, path.basename(directory)));
    return found.map(
      (each) =>
        `A database that was made for it is still in ${each}: to use it, write this path into ${pointerIn(directory)}.`,
    );
  } catch {
    return [];
  }
};

const makeEmptyDirectory = async (random: Random, dataDir: string, onLog: (line: string) => void): Promise<string> => {
  await makeTraversable(stateDirectory);
  for (const earlier of await relocatedFrom(dataDir))
    onLog(`data of an earlier ${dataDir} is still in ${earlier} and is not used`);
  const directory = path.join(stateDirectory, prefixOf(dataDir) + random.bytes(4).toString('hex'));
  await makeTraversable(directory);
  await createPrivateFile(path.join(directory, 'belongs-to'), `${dataDir}\n`); // for a person who tidies up here
  return directory;
};

/**
 * Creates a directory below `stateDirectory` for the data of DATA_DIR, and writes its path to
 * `<DATA_DIR>/postgres.place`. The directory is new each time: after DATA_DIR was deleted to begin anew, the old data is
 * neither used nor deleted. When two processes do this at once, both use the directory of the first.
 */
export const relocateData = async (random: Random, dataDir: string, onLog: (line: string) => void): Promise<string> => {
  const directory = await makeEmptyDirectory(random, dataDir, onLog);
  if (await createFirst(random, pointerIn(dataDir), `${directory}\n`)) return directory;
  await rm(directory, { recursive: true });
  return (await readRelocation(dataDir)) ?? directory;
};
