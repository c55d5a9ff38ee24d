import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../error-code.js';
import { isMissing } from './missing-files.js';

const FILE = 'jwt-secret';

/** Writes the whole file under another name first, so that a second process never reads half a secret. */
const create = async (file: string): Promise<void> => {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true });
  try {
    await link(temporary, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    await rm(temporary);
  }
};

/**
 * The secret that tokens are signed with when none is configured: random, created once for each data directory, in a
 * file that only its owner may read. Throws errors of the file system.
 */
export const developmentSecret = async (dataDir: string): Promise<string> => {
  const file = path.join(dataDir, FILE);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!isMissing(error)) throw error;
    await create(file);
    return readFile(file, 'utf8');
  }
};
