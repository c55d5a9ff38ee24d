import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { type Account, giveTo, giveTreeTo } from './account.js';
import { createPrivateFile, renameDurably, syncDirectory } from '../disk/durable-files.js';
import { cannotStart, codeOf, type EmbeddedPostgresError, majorVersionMismatch } from './embedded-postgres-error.js';
import { clusterIn, type Home } from './home.js';
import { type Installation, majorOf, programIn } from './installation/installation.js';
import { bornAt, lives } from './process-liveness.js';
import { runProgram } from './run-program.js';

/** The database files, and what is needed to serve them. */
export type Cluster = {
  /** DATA_DIR, for messages. */
  readonly dataDir: string;
  /** Postgres's data directory. */
  readonly data: string;
  readonly password: string;
  readonly account: Account;
  readonly installation: Installation;
};

/** The superuser, and the database that is made for it. */
export const user = 'app';

const initialisationLimit = 120_000; // ms; 0.4 s is usual

const dataIn = (cluster: string): string => path.join(cluster, 'data');
const passwordIn = (cluster: string): string => path.join(cluster, 'password');

const unfinishedPrefix = 'initialising-';

/** The name says which process makes it. */
const unfinishedName = (): string =>
  `${unfinishedPrefix}${process.pid}-${bornAt(process.pid)}-${randomBytes(4).toString('hex')}`;

/** What a crash in a first boot left behind; never what a living process is making. */
const sweep = async (home: string): Promise<void> => {
  for (const name of (await readdir(home)).filter((each) => each.startsWith(unfinishedPrefix))) {
    const [pid, born = ''] = name.slice(unfinishedPrefix.length).split('-');
    if (!lives({ pid: Number(pid), born })) await rm(path.join(home, name), { recursive: true, force: true });
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

/** Another process may have published its own cluster first; then that one counts, and ours goes. */
const publishUnlessThere = async (unfinished: string, cluster: string): Promise<void> => {
  try {
    await renameDurably(unfinished, cluster);
  } catch (cause) {
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(codeOf(cause)) || !existsSync(cluster)) throw cause;
    await rm(unfinished, { recursive: true, force: true });
  }
};

/** Made under another name and renamed when it is whole and on disk: a crash at any point leaves nothing half done. */
const initialise = async (
  { directory, account }: Home,
  installation: Installation,
  durable: boolean,
): Promise<E.Either<EmbeddedPostgresError, void>> => {
  await sweep(directory);
  const unfinished = path.join(directory, unfinishedName());
  await mkdir(unfinished, { mode: 0o700 });
  await createPrivateFile(passwordIn(unfinished), randomBytes(24).toString('base64url'));
  await giveTo(account, unfinished, passwordIn(unfinished));
  const args = initdbArguments(unfinished, durable);
  const { ok, how, lines } = await runProgram(programIn(installation, 'initdb'), args, account, initialisationLimit);
  if (!ok) {
    await rm(unfinished, { recursive: true, force: true });
    return E.left(cannotStart(`initdb failed in ${directory} (${how})`, lines.slice(-8)));
  }
  await syncDirectory(unfinished);
  await publishUnlessThere(unfinished, clusterIn(directory));
  return E.right(undefined);
};

/**
 * The cluster of a home, made on first use. `durable` waits until a new one is on disk.
 * Rejects on file system errors.
 */
export const openCluster = async (
  home: Home,
  installation: Installation,
  durable: boolean,
): Promise<E.Either<EmbeddedPostgresError, Cluster>> => {
  const cluster = clusterIn(home.directory);
  if (!existsSync(cluster)) {
    const made = await initialise(home, installation, durable);
    if (E.isLeft(made)) return made;
  }
  if (home.account.uid !== undefined && (await stat(cluster)).uid === 0) await giveTreeTo(home.account, cluster);
  const found = (await readFile(path.join(dataIn(cluster), 'PG_VERSION'), 'utf8')).trim();
  if (found !== majorOf(installation)) return E.left(majorVersionMismatch(home.dataDir, found, majorOf(installation)));
  const password = (await readFile(passwordIn(cluster), 'utf8')).trim();
  return E.right({ dataDir: home.dataDir, data: dataIn(cluster), password, account: home.account, installation });
};
