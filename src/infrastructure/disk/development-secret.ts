import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';

const random = (): string => randomBytes(48).toString('base64url');

/** Created once for each data directory, in a file that only its owner may read. */
const secretIn = async (dataDir: string, name: string, make: () => string = random): Promise<string> => {
  const file = path.join(dataDir, name);
  const secret = await unlessMissing(readFile(file, 'utf8'));
  if (secret !== undefined) return secret;
  await mkdir(dataDir, { recursive: true });
  await createFirst(file, make());
  return readFile(file, 'utf8');
};

/** The secret that tokens are signed with when none is configured. Throws errors of the file system. */
export const developmentSecret = (dataDir: string): Promise<string> => secretIn(dataDir, 'jwt-secret');

/** The keys that events get a `mac` with when none are configured: one, until somebody adds lines to the file. */
export const embeddedEventKeys = (dataDir: string): Promise<string> => secretIn(dataDir, 'event-key');

/** The key that signs the rows of an embedded Postgres when none is configured. Throws errors of the file system. */
export const embeddedSnapshotKey = (dataDir: string): Promise<string> => secretIn(dataDir, 'snapshot-key');

/** The key that signs checkpoints when none is configured; `make` makes one. Throws errors of the file system. */
export const embeddedCheckpointKey = (dataDir: string, make: () => string): Promise<string> =>
  secretIn(dataDir, 'checkpoint-key', make);
