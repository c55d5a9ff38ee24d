import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createPrivateFile, syncDirectory } from '../disk/durable-files.js';
import { errorCode } from '../error-code.js';

/**
 * Where root keeps data and programs for Postgres when DATA_DIR or the package is below a directory that only root may
 * enter, such as /root.
 */
export const stateDirectory = '/var/lib/business-document-service';

/** Others may pass through a directory of ours, and not list it. */
const traverseOnly = 0o711;

export const makeTraversable = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true });
  await chmod(directory, traverseOnly); // mkdir's mode would be reduced by the umask
};

const pointerIn = (dataDir: string): string => path.join(dataDir, 'postgres.place');

/** The directory that `<DATA_DIR>/postgres.place` names; undefined without such a file. */
export const readRelocation = async (dataDir: string): Promise<string | undefined> =>
  existsSync(pointerIn(dataDir)) ? (await readFile(pointerIn(dataDir), 'utf8')).trim() : undefined;

const makeEmptyDirectory = async (dataDir: string, onLog: (line: string) => void): Promise<string> => {
  const prefix = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-`;
  await makeTraversable(stateDirectory);
  const earlier = (await readdir(stateDirectory)).filter((name) => name.startsWith(prefix));
  for (const name of earlier)
    onLog(`data of an earlier ${dataDir} is still in ${path.join(stateDirectory, name)} and is not used`);
  const directory = path.join(stateDirectory, prefix + randomBytes(4).toString('hex'));
  await makeTraversable(directory);
  await createPrivateFile(path.join(directory, 'belongs-to'), `${dataDir}\n`); // for a person who tidies up here
  return directory;
};

/** False when another process has created the pointer first. A link, unlike a rename, does not overwrite. */
const createPointer = async (dataDir: string, directory: string): Promise<boolean> => {
  const temporary = `${pointerIn(dataDir)}.${process.pid}`;
  await rm(temporary, { force: true });
  await createPrivateFile(temporary, `${directory}\n`);
  try {
    await link(temporary, pointerIn(dataDir));
    await syncDirectory(dataDir);
    return true;
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(temporary);
  }
};

/**
 * Creates a directory below `stateDirectory` for the data of DATA_DIR, and writes its path to
 * `<DATA_DIR>/postgres.place`. The directory is new each time: after DATA_DIR was deleted to begin anew, the old data is
 * neither used nor deleted. When two processes do this at once, both use the directory of the first.
 */
export const relocateData = async (dataDir: string, onLog: (line: string) => void): Promise<string> => {
  const directory = await makeEmptyDirectory(dataDir, onLog);
  if (await createPointer(dataDir, directory)) return directory;
  await rm(directory, { recursive: true });
  return (await readRelocation(dataDir)) ?? directory;
};
