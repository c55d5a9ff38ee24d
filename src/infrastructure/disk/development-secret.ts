import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';

/**
 * The secret that tokens are signed with when none is configured: random, created once for each data directory, in a
 * file that only its owner may read. Throws errors of the file system.
 */
export const developmentSecret = async (dataDir: string): Promise<string> => {
  const file = path.join(dataDir, 'jwt-secret');
  const secret = await unlessMissing(readFile(file, 'utf8'));
  if (secret !== undefined) return secret;
  await mkdir(dataDir, { recursive: true });
  await createFirst(file, randomBytes(48).toString('base64url'));
  return readFile(file, 'utf8');
};
