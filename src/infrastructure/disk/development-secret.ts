import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';
import { prepareDirectory, UnusableDirectory } from './usable-directory.js';

const random = (): string => randomBytes(48).toString('base64url');

/** Throws `UnusableDirectory` where somebody else put the secret there, who knows it then. Windows has no owners. */
const requireOwner = async (dataDir: string, name: string): Promise<void> => {
  const uid = process.getuid?.();
  if (uid === undefined) return;
  const [secret, directory] = await Promise.all([stat(path.join(dataDir, name)), stat(dataDir)]);
  if ([uid, 0, directory.uid].includes(secret.uid)) return;
  throw new UnusableDirectory(
    dataDir,
    `${name} in it belongs to uid ${secret.uid}, who may have chosen it; remove it, or give it to uid ${directory.uid}`,
  );
};

/** Created once for each data directory, in a file that only its owner may read. */
const secretIn = async (dataDir: string, name: string, make: () => string = random): Promise<string> => {
  const file = path.join(dataDir, name);
  const secret = await unlessMissing(readFile(file, 'utf8'));
  if (secret !== undefined) {
    await requireOwner(dataDir, name);
    return secret;
  }
  await createFirst(file, make());
  return readFile(file, 'utf8');
};

/**
 * The keys of an embedded Postgres stand beside it. Undefined where there is no data directory: who opens the database has
 * made that, and a command that opens another log must not.
 */
const keyBesideData = async (dataDir: string, name: string, make?: () => string): Promise<string | undefined> =>
  (await unlessMissing(stat(dataDir))) === undefined ? undefined : secretIn(dataDir, name, make);

/** The secret that tokens are signed with when none is configured. Throws `UnusableDirectory` and errors of the file system. */
export const developmentSecret = async (dataDir: string): Promise<string> => {
  await prepareDirectory(dataDir);
  return secretIn(dataDir, 'jwt-secret');
};

/** The keys that events get a `mac` with when none are configured: one, until somebody adds lines to the file. */
export const embeddedEventKeys = (dataDir: string): Promise<string | undefined> => keyBesideData(dataDir, 'event-key');

/** The key that signs the rows of an embedded Postgres when none is configured. Throws errors of the file system. */
export const embeddedSnapshotKey = (dataDir: string): Promise<string | undefined> =>
  keyBesideData(dataDir, 'snapshot-key');

/** The key that signs checkpoints when none is configured; `make` makes one. Throws errors of the file system. */
export const embeddedCheckpointKey = (dataDir: string, make: () => string): Promise<string | undefined> =>
  keyBesideData(dataDir, 'checkpoint-key', make);
