import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createPrivateFile, syncDirectory } from '../disk/durable-files.js';
import { codeOf } from './embedded-postgres-error.js';

/** Root's own place, for data and programs below directories that only root may enter (as a project in /root). */
export const systemPlace = '/var/lib/business-document-service';

/** Others may pass a directory of ours, not look into it. */
const passable = 0o711;

export const makePassable = async (directory: string): Promise<void> => {
  await mkdir(directory, { recursive: true });
  await chmod(directory, passable); // whatever the umask
};

const pointerIn = (dataDir: string): string => path.join(dataDir, 'postgres.place');

/** The place that DATA_DIR names as the home of its data, if it names one. */
export const readPlace = async (dataDir: string): Promise<string | undefined> =>
  existsSync(pointerIn(dataDir)) ? (await readFile(pointerIn(dataDir), 'utf8')).trim() : undefined;

const makeEmptyPlace = async (dataDir: string, onLog: (line: string) => void): Promise<string> => {
  const prefix = `${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}-`;
  await makePassable(systemPlace);
  const earlier = (await readdir(systemPlace)).filter((name) => name.startsWith(prefix));
  for (const name of earlier) onLog(`data of an earlier ${dataDir} is left in ${path.join(systemPlace, name)}`);
  const place = path.join(systemPlace, prefix + randomBytes(4).toString('hex'));
  await makePassable(place);
  await createPrivateFile(path.join(place, 'belongs-to'), `${dataDir}\n`); // for whoever tidies up here
  return place;
};

/** False when another process has published first. A link, unlike a rename, does not overwrite. */
const publishPointer = async (dataDir: string, place: string): Promise<boolean> => {
  const unpublished = `${pointerIn(dataDir)}.${process.pid}`;
  await rm(unpublished, { force: true });
  await createPrivateFile(unpublished, `${place}\n`);
  try {
    await link(unpublished, pointerIn(dataDir));
    await syncDirectory(dataDir);
    return true;
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false;
    throw cause;
  } finally {
    await rm(unpublished);
  }
};

/**
 * Makes a place for the data of DATA_DIR and names it in `<DATA_DIR>/postgres.place`. A new place each time: after
 * somebody has deleted DATA_DIR to begin anew, the old data must neither come back nor vanish. Of two processes that do
 * this at once, both get the place of the quicker one.
 */
export const makePlace = async (dataDir: string, onLog: (line: string) => void): Promise<string> => {
  const place = await makeEmptyPlace(dataDir, onLog);
  if (await publishPointer(dataDir, place)) return place;
  await rm(place, { recursive: true });
  return (await readPlace(dataDir)) ?? place;
};
