import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isMissing } from './unless-missing.js';

const FILE = 'jwt-secret';

const isThere = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST';

/** Written whole under another name first: whoever comes second reads the first one's secret, never half of one. */
const create = async (file: string): Promise<void> => {
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(temporary, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true });
  try {
    await link(temporary, file);
  } catch (error) {
    if (!isThere(error)) throw error;
  } finally {
    await rm(temporary);
  }
};

/**
 * The secret that tokens are signed with while none is configured: random, made once for each data directory, readable
 * by its owner alone. Throws the file system's error.
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
