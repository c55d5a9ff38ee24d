import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { type Account, accountFor, mayEnter, weAreRoot } from './account.js';
import { cannotStart, type EmbeddedPostgresError, notWritable } from './embedded-postgres-error.js';
import { makePassable, makePlace, readPlace, systemPlace } from './system-place.js';

/** Where the cluster of a DATA_DIR lives and who owns it. */
export type Home = {
  /** DATA_DIR, for messages. */
  readonly dataDir: string;
  /** Holds `cluster` once there is one. */
  readonly directory: string;
  /** For a copy of the programs. */
  readonly staging: string;
  readonly account: Account;
};

export const clusterIn = (home: string): string => path.join(home, 'cluster');

type Found = E.Either<EmbeddedPostgresError, Home>;

const forOurselves = async (dataDir: string, directory: string): Promise<Found> => {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const owner = (await stat(existsSync(clusterIn(directory)) ? clusterIn(directory) : directory)).uid;
  return process.getuid !== undefined && owner !== process.getuid()
    ? E.left(notWritable(directory, `it belongs to another user (uid ${owner}); start as that user or as root`))
    : E.right({ dataDir, directory, staging: directory, account: {} });
};

/**
 * Where nothing but a DATA_DIR of root's alone is in the way, its group may pass it: root's own group, or one without
 * rights there, is exchanged for that of the account. Nobody else gains anything.
 */
const letPass = async (account: Account, dataDir: string): Promise<void> => {
  const { uid, gid, mode } = await stat(dataDir);
  const rootsAlone = uid === 0 && (mode & 0o067) === 0 && (gid === 0 || (mode & 0o010) === 0);
  if (!rootsAlone || account.gid === undefined || !(await mayEnter(account, path.dirname(dataDir)))) return;
  await chown(dataDir, uid, account.gid);
  await chmod(dataDir, (mode & 0o700) | 0o010);
};

/** Data that exists is used where it is, or refused; never passed over for an empty cluster elsewhere. */
const existingForRoot = async (dataDir: string, directory: string): Promise<Found> => {
  const account = await accountFor(clusterIn(directory));
  if (E.isLeft(account)) return account;
  if (path.dirname(directory) === dataDir) await letPass(account.right, dataDir);
  return (await mayEnter(account.right, directory))
    ? E.right({ dataDir, directory, staging: systemPlace, account: account.right })
    : E.left(notWritable(directory, `Postgres runs as uid ${account.right.uid ?? 0}, which may not enter there`));
};

const newForRoot = async (dataDir: string, own: string, onLog: (line: string) => void): Promise<Found> => {
  const account = await accountFor(clusterIn(own));
  if (E.isLeft(account)) return account;
  const home = { dataDir, staging: systemPlace, account: account.right };
  await letPass(account.right, dataDir);
  await makePassable(own);
  if (await mayEnter(account.right, own)) return E.right({ ...home, directory: own });
  await rmdir(own).catch(() => undefined); // only tidiness: another process may be doing the same
  return E.right({ ...home, directory: await makePlace(dataDir, onLog) });
};

/**
 * Finds or makes the home: `<DATA_DIR>/postgres`, or, as root below a directory that nobody else may enter, a place of root's
 * own that the file `<DATA_DIR>/postgres.place` names from then on, also when DATA_DIR is moved. A copy of such a DATA_DIR names
 * the same data. Rejects on file system errors.
 */
export const findHome = async (wanted: string, onLog: (line: string) => void): Promise<Found> => {
  await mkdir(wanted, { recursive: true });
  const dataDir = await realpath(wanted);
  const own = path.join(dataDir, 'postgres');
  const place = await readPlace(dataDir);
  if (place !== undefined && !existsSync(place))
    return E.left(cannotStart(`${dataDir}/postgres.place says that the data is in ${place}, and that does not exist`));
  const home = place ?? own;
  if (!weAreRoot()) return forOurselves(dataDir, home);
  return place !== undefined || existsSync(clusterIn(own))
    ? existingForRoot(dataDir, home)
    : newForRoot(dataDir, own, onLog);
};
