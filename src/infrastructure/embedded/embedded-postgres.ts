import { existsSync } from 'node:fs';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import { prepareDirectory } from '../disk/usable-directory.js';
import { type Cluster, openCluster } from './cluster.js';
import { clusterIn, type ClusterLocation, hasCluster, locateCluster } from './cluster-location.js';
import { type Address, connectionString, withClient } from './connection.js';
import { type DataDirectoryLock, lockDataDirectory } from './data-directory-lock.js';
import { ensureDatabase } from './database.js';
import { cannotStart, type EmbeddedPostgresError, fromSystemError, noData } from './embedded-postgres-error.js';
import { packageFor, thisHost } from './installation/host-platform.js';
import { findInstallation, type Installation } from './installation/installation.js';
import { makeRunnable } from './installation/runnable-installation.js';
import { makeOwner, type ProcessKind } from '../process-liveness.js';
import { saidRelocated, saidElsewhere } from './relocated-data.js';
import { acquireServer, type Acquisition, defaultWaitTimeoutMs, freePort } from './server/acquire-server.js';
import type { Server } from './server/server-process.js';
import { supervise } from './server/supervisor.js';
import { ensureSpareSegment } from './spare-segment.js';
import type { Clock } from '../../event-sourcing/clock.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

export type EmbeddedPostgres = {
  /** Database `app`, UTF8, C locale. It stays valid while the server is restarted after a crash. */
  readonly connectionString: string;
  /** Postgres's data directory. */
  readonly directory: string;
  /** Whether another process runs the server. */
  readonly joined: boolean;
  /**
   * Stops the server by a fast shutdown, unless it was joined; then this only releases the lock. A service does not wait
   * for operators' commands that have joined its server; an operator's command does, ten minutes at most.
   */
  readonly stop: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  readonly runtime: Runtime;
  /** DATA_DIR; created if it does not exist. */
  readonly dataDir: string;
  /** Fails with `NoData` where there is no cluster yet, and creates nothing. */
  readonly mustExist?: boolean | undefined;
  /**
   * `service`: excludes other services and always starts a server of its own; it waits for an operator's command that
   * runs one. `operator`: joins a running server, or starts one and stops it again.
   */
  readonly processKind: ProcessKind;
  /** Lines for a log: Postgres's notable ones, and what the launcher does about them. */
  readonly onLog: (line: string) => void;
  /** Further settings for a server that is started. `fsync=off` also makes creating a cluster faster. */
  readonly settings?: Readonly<Record<string, string>>;
};

type Overrides = Pick<Acquisition, 'choosePort' | 'waitTimeoutMs'>;

const defaults: Overrides = { choosePort: freePort, waitTimeoutMs: defaultWaitTimeoutMs };

/** How long an operator's command waits for the others that use its server. */
const operatorsTimeoutMs = 600_000;
const operatorsPollIntervalMs = 100;

/** What a service says of its data at each start. */
const sayWhere = async ({ dataDir, directory }: ClusterLocation, onLog: (line: string) => void): Promise<void> => {
  const elsewhere = await saidElsewhere(dataDir);
  if (elsewhere !== undefined) onLog(elsewhere);
  if (!existsSync(clusterIn(directory))) onLog(`making a new database in ${directory}; this takes a few seconds`);
};

const prepareCluster = async (
  installation: Installation,
  { runtime, dataDir, processKind, mustExist = false, onLog, settings }: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, Cluster>> => {
  const { random } = runtime;
  if (mustExist && !(await hasCluster(dataDir)))
    return E.left(noData(path.resolve(dataDir), await saidRelocated(dataDir)));
  // a command that joins the server of a service on a full disk may still read
  if (processKind === 'service' || !(await hasCluster(dataDir))) await prepareDirectory(random, dataDir);
  const location = await locateCluster(random, dataDir, onLog);
  if (E.isLeft(location)) return location;
  if (processKind === 'service') await sayWhere(location.right, onLog);
  const runnable = await makeRunnable(random, installation, location.right.account, location.right.programs);
  return openCluster(random, location.right, runnable, settings?.['fsync'] !== 'off', onLog);
};

/** Starts another server on the port of the first, so that connection pools find it. */
const restart = async (acquisition: Acquisition, port: number): Promise<E.Either<EmbeddedPostgresError, Server>> => {
  const acquired = await acquireServer({ ...acquisition, choosePort: () => Promise.resolve(port) });
  if (E.isLeft(acquired)) return acquired;
  return acquired.right._tag === 'Started'
    ? E.right(acquired.right.server)
    : E.left(cannotStart(`another command has started a server in ${acquisition.cluster.dataDir}`));
};

const waitForOtherOperators = async (
  clock: Clock,
  lock: DataDirectoryLock,
  onLog: (line: string) => void,
): Promise<void> => {
  const deadline = clock.monotonic() + operatorsTimeoutMs;
  for (let isLogged = false; clock.monotonic() < deadline; isLogged = true) {
    const others = await lock.otherOperators().catch(() => []);
    if (others.length === 0) return;
    if (!isLogged) onLog(`waiting for other commands that use this server (pid ${others.join(', ')})`);
    await clock.sleep(operatorsPollIntervalMs);
  }
};

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
};

/** Makes a server ready for use, and takes the lock on its data directory. */
const prepareServer = async (
  address: Address,
  { data }: Cluster,
  { runtime, processKind, dataDir }: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, DataDirectoryLock>> => {
  try {
    await withClient(address, 'postgres', async (client) => {
      await ensureDatabase(client);
      await ensureSpareSegment(client, data);
    });
    return await lockDataDirectory({ runtime, processKind, address, dataDir });
  } catch (cause) {
    return E.left(fromSystemError(dataDir)(cause));
  }
};

const start = async (
  installation: Installation,
  options: EmbeddedPostgresOptions,
  overrides: Overrides,
): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> => {
  const { runtime, processKind, onLog, settings = {} } = options;
  const prepared = await prepareCluster(installation, options);
  if (E.isLeft(prepared)) return prepared;
  const cluster = prepared.right;
  const owner = makeOwner(runtime.random, processKind);
  const acquisition = { ...overrides, runtime, cluster, owner, settings, onLog };
  const acquired = await acquireServer(acquisition);
  if (E.isLeft(acquired)) return acquired;

  const ours = acquired.right._tag === 'Started' ? acquired.right.server : undefined;
  const port = acquired.right._tag === 'Started' ? acquired.right.server.port : acquired.right.port;
  const address = { port, password: cluster.password };
  const again = async () =>
    E.flatten(await attempt(() => restart(acquisition, port), fromSystemError(options.dataDir)));
  const shutDown = ours && supervise(ours, { runtime, restart: again, onLog });
  const lock = await prepareServer(address, cluster, options);
  if (E.isLeft(lock)) {
    await shutDown?.();
    return lock;
  }
  const stop = async (): Promise<void> => {
    if (ours !== undefined && processKind === 'operator') await waitForOtherOperators(runtime.clock, lock.right, onLog);
    await lock.right.release();
    await shutDown?.();
  };
  return E.right({
    connectionString: connectionString(address),
    directory: cluster.data,
    joined: ours === undefined,
    stop: once(stop),
  });
};

/** As `startEmbeddedPostgres`, from a given installation. */
export const startFrom =
  (installation: Installation, overrides: Partial<Overrides> = {}) =>
  async (options: EmbeddedPostgresOptions): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> =>
    E.flatten(
      await attempt(
        () => start(installation, options, { ...defaults, ...overrides }),
        fromSystemError(options.dataDir),
      ),
    );

/**
 * Runs a Postgres in DATA_DIR, or joins the one that runs there; resolves when it accepts connections. A server that is
 * started here is restarted when it dies, and stopped when this process ends, however it ends. Never rejects.
 */
export const startEmbeddedPostgres = async (
  options: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> => {
  const name = packageFor(thisHost());
  if (E.isLeft(name)) return name;
  const installation = await findInstallation(name.right);
  return E.isLeft(installation) ? installation : startFrom(installation.right)(options);
};
