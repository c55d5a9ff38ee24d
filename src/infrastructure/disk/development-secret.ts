import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createFirst } from './durable-files.js';
import { unlessMissing } from './missing-files.js';
import { prepareDirectory, UnusableDirectory } from './usable-directory.js';
import type { Random } from '../../event-sourcing/random.js';

const randomText = (random: Random): string => random.bytes(48).toString('base64url');

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
const secretIn = async (
  random: Random,
  dataDir: string,
  name: string,
  make: (random: Random) => string = randomText,
): Promise<string> => {
  const file = path.join(dataDir, name);
  const secret = await unlessMissing(readFile(file, 'utf8'));
  if (secret !== undefined) {
    await requireOwner(dataDir, name);
    return secret;
  }
  await createFirst(random, file, make(random));
  return readFile(file, 'utf8');
};

/**
 * The keys of an embedded Postgres stand beside it. Undefined where there is no data directory: who opens the database has
 * made that, and a command that opens another log must not.
 */
const keyBesideData = async (
  random: Random,
  dataDir: string,
  name: string,
  make?: (random: Random) => string,
): Promise<string | undefined> =>
  (await unlessMissing(stat(dataDir))) === undefined ? undefined : secretIn(random, dataDir, name, make);

/** The secret that tokens are signed with when none is configured. Throws `UnusableDirectory` and errors of the file system. */
export const developmentSecret = async (random: Random, dataDir: string): Promise<string> => {
  await prepareDirectory(random, dataDir);
  return secretIn(random, dataDir, 'jwt-secret');
};

/** The keys that events get a `mac` with when none are configured: one, until somebody adds lines to the file. */
export const embeddedEventKeys = (random: Random, dataDir: string): Promise<string | undefined> =>
  keyBesideData(random, dataDir, 'event-key');

/** The key that signs the rows of an embedded Postgres when none is configured. Throws errors of the file system. */
export const embeddedSnapshotKey = (random: Random, dataDir: string): Promise<string | undefined> =>
  keyBesideData(random, dataDir, 'snapshot-key');

/** The key that signs links for a while when none is configured. Throws errors of the file system. */
export const embeddedLinkKey = (random: Random, dataDir: string): Promise<string | undefined> =>
  keyBesideData(random, dataDir, 'link-key');

/** The keys that the keys of the data at rest are kept under when none are configured, as of events. */
export const embeddedErasureKeys = (random: Random, dataDir: string): Promise<string | undefined> =>
  keyBesideData(random, dataDir, 'erasure-key');

/** The key that signs checkpoints when none is configured; `make` makes one. Throws errors of the file system. */
export const embeddedCheckpointKey = (
  random: Random,
  dataDir: string,
  make: (random: Random) => string,
): Promise<string | undefined> => keyBesideData(random, dataDir, 'checkpoint-key', make);
