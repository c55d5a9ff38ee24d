import { existsSync } from 'node:fs';
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { unlessMissing } from '../disk/missing-files.js';
import { type Account, accountFor, isRoot, mayTraverse } from './account.js';
import { cannotStart, type EmbeddedPostgresError, notWritable } from './embedded-postgres-error.js';
import { makeTraversable, readRelocation, relocateData, stateDirectory } from './relocated-data.js';
import type { Random } from '../../event-sourcing/random.js';

/** Where the cluster of a DATA_DIR is, and which account owns it. */
export type ClusterLocation = {
  /** DATA_DIR, for messages. */
  readonly dataDir: string;
  /** The parent of the directory `cluster`, which may not exist yet. */
  readonly directory: string;
  /** Where Postgres's programs are copied to, if they must be. */
  readonly programs: string;
  readonly account: Account;
};

export const clusterIn = (directory: string): string => path.join(directory, 'cluster');

/** The parent of the cluster of a DATA_DIR that holds its data itself. */
const insideOf = (dataDir: string): string => path.join(dataDir, 'postgres');

/** Whether there is data in a DATA_DIR, or should be where it says that its data is. Rejects on file system errors. */
export const hasCluster = async (dataDir: string): Promise<boolean> => {
  const relocated = await readRelocation(dataDir);
  if (relocated !== undefined && !existsSync(relocated)) return true;
  return (await unlessMissing(stat(clusterIn(relocated ?? insideOf(dataDir))))) !== undefined;
};

type Located = E.Either<EmbeddedPostgresError, ClusterLocation>;

const locateAsUser = async (dataDir: string, directory: string): Promise<Located> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const owner = (await stat(existsSync(clusterIn(directory)) ? clusterIn(directory) : directory)).uid;
  return process.getuid !== undefined && owner !== process.getuid()
    ? E.left(notWritable(directory, `it belongs to another user (uid ${owner}); start as that user or as root`))
    : E.right({ dataDir, directory, programs: directory, account: {} });
};

/**
 * Lets the account pass through a DATA_DIR of root that it may not enter: others may then pass, but not list it. Does
 * nothing when the account cannot reach DATA_DIR anyway.
 */
const allowTraversal = async (account: Account, dataDir: string): Promise<void> => {
  if ((await stat(dataDir)).uid !== 0 || (await mayTraverse(account, dataDir))) return;
  if (await mayTraverse(account, path.dirname(dataDir))) await makeTraversable(dataDir);
};

/** Existing data is used where it is, or this fails: an empty cluster elsewhere would look like lost data. */
const locateExistingAsRoot = async (dataDir: string, directory: string): Promise<Located> => {
  const account = await accountFor(clusterIn(directory));
  if (E.isLeft(account)) return account;
  if (path.dirname(directory) === dataDir) await allowTraversal(account.right, dataDir);
  return (await mayTraverse(account.right, directory))
    ? E.right({ dataDir, directory, programs: stateDirectory, account: account.right })
    : E.left(notWritable(directory, `Postgres runs as uid ${account.right.uid ?? 0}, which may not enter it`));
};

const locateNewAsRoot = async (
  random: Random,
  dataDir: string,
  inside: string,
  onLog: (line: string) => void,
): Promise<Located> => {
  const account = await accountFor(clusterIn(inside));
  if (E.isLeft(account)) return account;
  const location = { dataDir, programs: stateDirectory, account: account.right };
  await allowTraversal(account.right, dataDir);
  await makeTraversable(inside);
  if (await mayTraverse(account.right, inside)) return E.right({ ...location, directory: inside });
  await rmdir(inside).catch(() => undefined); // only for tidiness: another process may be doing the same
  return E.right({ ...location, directory: await relocateData(random, dataDir, onLog) });
};

/**
 * Finds the cluster of a DATA_DIR, or makes a directory for it: `<DATA_DIR>/postgres`. When root runs this, and
 * Postgres's account may not enter there, the directory is below `stateDirectory` and `<DATA_DIR>/postgres.place` names
 * it. DATA_DIR may then be moved; a copy of it names the same data. `wanted` must be there. Rejects on file system errors.
 */
export const locateCluster = async (
  random: Random,
  wanted: string,
  onLog: (line: string) => void,
): Promise<Located> => {
  const dataDir = await realpath(wanted);
  const inside = insideOf(dataDir);
  const relocated = await readRelocation(dataDir);
  if (relocated !== undefined && !existsSync(relocated))
    return E.left(
      cannotStart(`${dataDir}/postgres.place says that the data is in ${relocated}, and that does not exist`),
    );
  const directory = relocated ?? inside;
  if (!isRoot()) return locateAsUser(dataDir, directory);
  return relocated !== undefined || existsSync(clusterIn(inside))
    ? locateExistingAsRoot(dataDir, directory)
    : locateNewAsRoot(random, dataDir, inside, onLog);
};
