import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { either as E } from 'fp-ts';
import { makeRetry } from '../../../event-sourcing/retry.js';
import {
  cannotStart,
  type EmbeddedPostgresError,
  fromProgram,
  inUseByOperator,
  inUseByServer,
  inUseByService,
} from '../embedded-postgres-error.js';
import { findRunningServer, type RunningServer } from './running-server.js';
import { type Launch, launchServer, type LaunchFailure, type Server } from './server-process.js';
import { requestStop } from './stop-server.js';
import { takeoverAction } from './takeover-policy.js';

/** A server that another process runs, or one that we have started. */
type Acquired =
  { readonly _tag: 'Joined'; readonly port: number } | { readonly _tag: 'Started'; readonly server: Server };

export type Acquisition = Omit<Launch, 'port'> & {
  /** A port for a new server; called again when that port is taken. */
  readonly choosePort: () => Promise<number>;
  /** How long to wait for a server that starts or stops, or for an operator's command, ms. */
  readonly waitTimeoutMs: number;
};

export const defaultWaitTimeoutMs = 60_000;

const pollIntervalMs = 25;

/** After a port was taken. */
const portRetry = { first: 50, longest: 500, attempts: 5 };

/** A port of the loopback interface that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // reason: it listens on a TCP port
  server.close();
  await once(server, 'close');
  return port;
};

const inUse = (directory: string, running: RunningServer): EmbeddedPostgresError => {
  switch (running._tag) {
    case 'None':
      return cannotStart(`a server that was killed still holds its lock or its shared memory in ${directory}`);
    case 'StartingOrStopping':
      return cannotStart(`a server (pid ${running.pid}) in ${directory} is ${running.status} and takes too long`);
    case 'Ready':
      if (running.owner === undefined) return inUseByServer(directory, running.pid);
      return running.owner.processKind === 'operator'
        ? inUseByOperator(directory, running.owner.pid)
        : inUseByService(directory, running.owner.pid);
  }
};

const start = async (acquisition: Acquisition): Promise<E.Either<LaunchFailure, Server>> => {
  const retry = makeRetry({ runtime: acquisition.runtime, ...portRetry });
  for (;;) {
    const launched = await launchServer({ ...acquisition, port: await acquisition.choosePort() });
    if (E.isRight(launched) || launched.left._tag !== 'PortTaken' || !(await retry.again())) return launched;
  }
};

type Outcome = E.Either<EmbeddedPostgresError, Acquired>;

/** Acts on what was found. Undefined: poll again. */
const act = async (acquisition: Acquisition, running: RunningServer): Promise<Outcome | undefined> => {
  const action = takeoverAction(acquisition.owner, running);
  if (action === 'join' && running._tag === 'Ready') return E.right({ _tag: 'Joined', port: running.port });
  if (action === 'fail') return E.left(inUse(acquisition.cluster.dataDir, running));
  if (action === 'replace') await requestStop(acquisition.cluster);
  if (action !== 'start') return undefined;
  const started = await start(acquisition);
  if (E.isRight(started)) return E.right({ _tag: 'Started', server: started.right });
  const { _tag, reason, lastLines } = started.left;
  return _tag === 'LockHeld' ? undefined : E.left(fromProgram(acquisition.cluster.dataDir, reason, lastLines));
};

const waitMessage = (running: RunningServer): string | undefined =>
  running._tag === 'Ready' && running.owner?.processKind === 'operator' && running.isOwnerAlive
    ? `waiting for an operator's command (pid ${running.owner.pid}) that works in this data directory`
    : undefined;

/**
 * Joins the server that runs in a cluster or starts one, as `takeoverAction` decides. Fails when another process still
 * stands in the way after `waitTimeoutMs`.
 */
export const acquireServer = async (acquisition: Acquisition): Promise<Outcome> => {
  const { clock, random } = acquisition.runtime;
  const deadline = clock.monotonic() + acquisition.waitTimeoutMs;
  let lastMessage: string | undefined;
  for (;;) {
    const found = await findRunningServer(random, acquisition.cluster);
    if (E.isLeft(found)) return found;
    const outcome = await act(acquisition, found.right);
    if (outcome !== undefined) return outcome;
    if (clock.monotonic() > deadline) return E.left(inUse(acquisition.cluster.dataDir, found.right));
    const message = waitMessage(found.right);
    if (message !== undefined && message !== lastMessage) acquisition.onLog(message);
    lastMessage = message;
    await clock.sleep(pollIntervalMs);
  }
};
