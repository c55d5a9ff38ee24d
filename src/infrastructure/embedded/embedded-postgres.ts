import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import { type Claim, takeClaim } from './claim.js';
import { type Cluster, openCluster } from './cluster.js';
import { type Address, connectionString, withClient } from './connection.js';
import { ensureDatabase } from './database.js';
import { cannotStart, type EmbeddedPostgresError, fromSystemError } from './embedded-postgres-error.js';
import { findHome } from './home.js';
import { packageFor, thisHost } from './installation/host-platform.js';
import { findInstallation, type Installation } from './installation/installation.js';
import { type ClaimKind, ourselves } from './process-liveness.js';
import { makeRunnable } from './installation/runnable-installation.js';
import type { Server } from './server/server-process.js';
import { defaultPatience, freePort, settle, type Settling } from './server/settle.js';
import { supervise } from './server/supervisor.js';
import { ensureSpareSegment } from './spare-segment.js';

export type EmbeddedPostgres = {
  /** Database `app`, UTF8, C locale. It stays valid while the server is restarted after a crash. */
  readonly connectionString: string;
  /** Where its data is. */
  readonly directory: string;
  /** True when a server already ran in this directory. */
  readonly adopted: boolean;
  /**
   * Fast shutdown of the server we started, operators' commands or not; an operator's command first waits for others
   * that have joined its server, within a bound. Releases only our claim when adopted.
   */
  readonly stop: () => Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** DATA_DIR; made if it is not there. */
  readonly dataDir: string;
  /**
   * `service`: exclusive, always on a server of its own; waits for an operator's command that runs one.
   * `operator`: joins a running server, or starts one and stops it again.
   */
  readonly claim: ClaimKind;
  /** Lines worth a log: Postgres's own, and what the launcher does about them. */
  readonly onLog: (line: string) => void;
  /** More settings for a server that is started; `fsync=off` makes a new cluster quicker, too. */
  readonly settings?: Readonly<Record<string, string>>;
};

type Circumstances = Pick<Settling, 'choosePort' | 'patience'>;

const usual: Circumstances = { choosePort: freePort, patience: defaultPatience };

const othersPatience = 600_000; // ms an operator's command waits for those that use its server
const glance = 100; // ms between two looks

const prepare = async (
  installation: Installation,
  { dataDir, onLog, settings }: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, Cluster>> => {
  const home = await findHome(dataDir, onLog);
  if (E.isLeft(home)) return home;
  const runnable = await makeRunnable(installation, home.right.account, home.right.staging);
  return openCluster(home.right, runnable, settings?.['fsync'] !== 'off');
};

/** A server on the port of the first, so that pools find it again. */
const restart = async (settling: Settling, port: number): Promise<E.Either<EmbeddedPostgresError, Server>> => {
  const settled = await settle({ ...settling, choosePort: () => Promise.resolve(port) });
  if (E.isLeft(settled)) return settled;
  return settled.right._tag === 'Started'
    ? E.right(settled.right.server)
    : E.left(cannotStart(`another command has started a server in ${settling.cluster.dataDir}`));
};

const othersToFinish = async (claim: Claim, onLog: (line: string) => void): Promise<void> => {
  const deadline = performance.now() + othersPatience;
  for (let told = false; performance.now() < deadline; told = true) {
    const others = await claim.operators().catch(() => []);
    if (others.length === 0) return;
    if (!told) onLog(`waiting for other commands that use this server (pid ${others.join(', ')})`);
    await delay(glance);
  }
};

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
};

/** The database is there and we may use it. */
const enter = async (
  address: Address,
  { data }: Cluster,
  { claim: kind, dataDir }: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, Claim>> => {
  try {
    await withClient(address, 'postgres', async (client) => {
      await ensureDatabase(client);
      await ensureSpareSegment(client, data);
    });
    return await takeClaim({ kind, address, dataDir });
  } catch (cause) {
    return E.left(fromSystemError(dataDir)(cause));
  }
};

const start = async (
  installation: Installation,
  options: EmbeddedPostgresOptions,
  circumstances: Circumstances,
): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> => {
  const { claim: kind, onLog, settings = {} } = options;
  const prepared = await prepare(installation, options);
  if (E.isLeft(prepared)) return prepared;
  const cluster = prepared.right;
  const settling = { ...circumstances, cluster, owner: ourselves(kind), settings, onLog };
  const settled = await settle(settling);
  if (E.isLeft(settled)) return settled;

  const ours = settled.right._tag === 'Started' ? settled.right.server : undefined;
  const port = settled.right._tag === 'Started' ? settled.right.server.port : settled.right.port;
  const address = { port, password: cluster.password };
  const again = async () => E.flatten(await attempt(() => restart(settling, port), fromSystemError(options.dataDir)));
  const shutDown = ours && supervise(ours, { restart: again, onLog });
  const claim = await enter(address, cluster, options);
  if (E.isLeft(claim)) {
    await shutDown?.();
    return claim;
  }
  const stop = async (): Promise<void> => {
    if (ours !== undefined && kind === 'operator') await othersToFinish(claim.right, onLog);
    await claim.right.release();
    await shutDown?.();
  };
  return E.right({
    connectionString: connectionString(address),
    directory: cluster.data,
    adopted: ours === undefined,
    stop: once(stop),
  });
};

/** As `startEmbeddedPostgres`, from a given package and under given circumstances. */
export const startFrom =
  (installation: Installation, circumstances: Partial<Circumstances> = {}) =>
  async (options: EmbeddedPostgresOptions): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> =>
    E.flatten(
      await attempt(
        () => start(installation, options, { ...usual, ...circumstances }),
        fromSystemError(options.dataDir),
      ),
    );

/**
 * A Postgres of our own in DATA_DIR, ready for connections. Its life ends with this process, however that ends, and
 * while the process lives it is restarted when it dies. Never rejects.
 */
export const startEmbeddedPostgres = async (
  options: EmbeddedPostgresOptions,
): Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>> => {
  const name = packageFor(thisHost());
  if (E.isLeft(name)) return name;
  const installation = await findInstallation(name.right);
  return E.isLeft(installation) ? installation : startFrom(installation.right)(options);
};
