import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { createPrivateFile, renameDurably, syncDirectory } from '../disk/durable-files.js';
import { errorCode } from '../error-code.js';
import { type Account, changeOwner, changeOwnerOfTree } from './account.js';
import { clusterIn, type ClusterLocation } from './cluster-location.js';
import { type EmbeddedPostgresError, fromProgram, majorVersionMismatch } from './embedded-postgres-error.js';
import { type Installation, majorOf, programIn } from './installation/installation.js';
import { isAlive, startTimeOf } from '../process-liveness.js';
import { makePrivate } from './private-cluster.js';
import { runProgram } from './run-program.js';
import type { Random } from '../../event-sourcing/random.js';

/** A database cluster: Postgres's files, and what is needed to run a server on them. */
export type Cluster = {
  /** DATA_DIR, for messages. */
  readonly dataDir: string;
  /** Postgres's data directory. */
  readonly data: string;
  readonly password: string;
  readonly account: Account;
  readonly installation: Installation;
};

/** The name of the superuser, and of the database that is created for it. */
export const user = 'app';

const initdbTimeoutMs = 120_000; // 0.4 s is usual

const dataIn = (cluster: string): string => path.join(cluster, 'data');
const passwordIn = (cluster: string): string => path.join(cluster, 'password');

const unfinishedPrefix = 'initialising-';

/** The name says which process creates it. */
const unfinishedName = (random: Random): string =>
  `${unfinishedPrefix}${process.pid}-${startTimeOf(process.pid)}-${random.bytes(4).toString('hex')}`;

/** Removes the unfinished clusters of processes that have ended. */
const removeUnfinished = async (directory: string): Promise<void> => {
  for (const name of (await readdir(directory)).filter((each) => each.startsWith(unfinishedPrefix))) {
    const [pid, startTime = ''] = name.slice(unfinishedPrefix.length).split('-');
    if (!isAlive({ pid: Number(pid), startTime }))
      await rm(path.join(directory, name), { recursive: true, force: true });
  }
};

const initdbArguments = (cluster: string, durable: boolean): ReadonlyArray<string> =>
  [
    `--pgdata=${dataIn(cluster)}`,
    `--username=${user}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordIn(cluster)}`,
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ].concat(durable ? [] : ['--no-sync']);

/** Gives a finished cluster its name. When another process was faster, its cluster stays and ours is removed. */
const renameUnlessExists = async (unfinished: string, cluster: string): Promise<void> => {
  try {
    await renameDurably(unfinished, cluster);
  } catch (cause) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(errorCode(cause)) || !existsSync(cluster)) throw cause;
    await rm(unfinished, { recursive: true, force: true });
  }
};

/** Creates the cluster under a temporary name, and renames it when it is complete and synced. */
const initialise = async (
  random: Random,
  { dataDir, directory, account }: ClusterLocation,
  installation: Installation,
  durable: boolean,
): Promise<E.Either<EmbeddedPostgresError, void>> => {
  await removeUnfinished(directory);
  const unfinished = path.join(directory, unfinishedName(random));
  await mkdir(unfinished, { mode: 0o700 });
  await createPrivateFile(passwordIn(unfinished), random.bytes(24).toString('base64url'));
  await changeOwner(account, unfinished, passwordIn(unfinished));
  const args = initdbArguments(unfinished, durable);
  const { ok, reason, lines } = await runProgram(programIn(installation, 'initdb'), args, account, initdbTimeoutMs);
  if (!ok) {
    await rm(unfinished, { recursive: true, force: true });
    return E.left(fromProgram(dataDir, `initdb failed in ${directory} (${reason})`, lines.slice(-8)));
  }
  await syncDirectory(unfinished);
  await renameUnlessExists(unfinished, clusterIn(directory));
  return E.right(undefined);
};

/**
 * The cluster at a location, created on first use. A new one is synced to disk when `durable`, as initdb does by
 * default. Where others may use the data of an old one, that is mended. Fails when it cannot be, and when the data is of
 * another major version. Rejects on file system errors.
 */
export const openCluster = async (
  random: Random,
  location: ClusterLocation,
  installation: Installation,
  durable: boolean,
  onLog: (line: string) => void,
): Promise<E.Either<EmbeddedPostgresError, Cluster>> => {
  const cluster = clusterIn(location.directory);
  if (!existsSync(cluster)) {
    const made = await initialise(random, location, installation, durable);
    if (E.isLeft(made)) return made;
  }
  if (location.account.uid !== undefined && (await stat(cluster)).uid === 0)
    await changeOwnerOfTree(location.account, cluster);
  const files = { cluster, data: dataIn(cluster), password: passwordIn(cluster) };
  const mended = await makePrivate(files, onLog);
  if (E.isLeft(mended)) return mended;
  const found = (await readFile(path.join(files.data, 'PG_VERSION'), 'utf8')).trim();
  if (found !== majorOf(installation))
    return E.left(majorVersionMismatch(location.dataDir, found, majorOf(installation)));
  const password = (await readFile(files.password, 'utf8')).trim();
  return E.right({
    dataDir: location.dataDir,
    data: files.data,
    password,
    account: location.account,
    installation,
  });
};
