import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import {
  cannotStart,
  type EmbeddedPostgresError,
  inUseByOperator,
  inUseByServer,
  inUseByService,
} from '../embedded-postgres-error.js';
import { findOccupant, type Occupant } from './occupant.js';
import { type Launch, launchServer, type LaunchFailure, type Server } from './server-process.js';
import { requestStop } from './stop-server.js';
import { verdict } from './verdict.js';

/** How a launcher came to a server. */
type Settled =
  { readonly _tag: 'Joined'; readonly port: number } | { readonly _tag: 'Started'; readonly server: Server };

export type Settling = Omit<Launch, 'port'> & {
  /** A port to try; asked again when it is taken. */
  readonly choosePort: () => Promise<number>;
  /** ms to wait for whoever is in the way: a server on its way up or down, or an operator's command. */
  readonly patience: number;
};

export const defaultPatience = 60_000;

const glance = 25; // ms between two looks
const portAttempts = 5;

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no TCP port'));
        else resolve(address.port);
      });
    });
  });

const inTheWay = (directory: string, occupant: Occupant): EmbeddedPostgresError => {
  switch (occupant._tag) {
    case 'Nobody':
      return cannotStart(`remains of a killed server in ${directory} do not go away`);
    case 'Changing':
      return cannotStart(`a server (pid ${occupant.pid}) in ${directory} is ${occupant.doing} and does not get done`);
    case 'Serving':
      if (occupant.owner === undefined) return inUseByServer(directory, occupant.pid);
      return occupant.owner.claim === 'operator'
        ? inUseByOperator(directory, occupant.owner.pid)
        : inUseByService(directory, occupant.owner.pid);
  }
};

const start = async (settling: Settling): Promise<E.Either<LaunchFailure, Server>> => {
  for (let attempt = 1; ; attempt += 1) {
    const launched = await launchServer({ ...settling, port: await settling.choosePort() });
    if (E.isRight(launched) || launched.left._tag !== 'PortTaken' || attempt === portAttempts) return launched;
  }
};

type Outcome = E.Either<EmbeddedPostgresError, Settled>;

/** One look and what follows from it. Nothing: look again. */
const step = async (settling: Settling, occupant: Occupant): Promise<Outcome | undefined> => {
  const next = verdict(settling.owner, occupant);
  if (next === 'join' && occupant._tag === 'Serving') return E.right({ _tag: 'Joined', port: occupant.port });
  if (next === 'refuse') return E.left(inTheWay(settling.cluster.dataDir, occupant));
  if (next === 'replace') await requestStop(settling.cluster);
  if (next !== 'start') return undefined;
  const started = await start(settling);
  if (E.isRight(started)) return E.right({ _tag: 'Started', server: started.right });
  const { _tag, how, lastLines } = started.left;
  return _tag === 'HeldByAnother' ? undefined : E.left(cannotStart(how, lastLines));
};

const waitingFor = (occupant: Occupant): string | undefined =>
  occupant._tag === 'Serving' && occupant.owner?.claim === 'operator' && occupant.ownerLives
    ? `waiting for an operator's command (pid ${occupant.owner.pid}) that works in this data directory`
    : undefined;

/** Joins the server of a cluster or starts one, as `verdict` says; waits for whoever is in the way, within a bound. */
export const settle = async (settling: Settling): Promise<Outcome> => {
  const deadline = performance.now() + settling.patience;
  let told: string | undefined;
  for (;;) {
    const found = await findOccupant(settling.cluster);
    if (E.isLeft(found)) return found;
    const outcome = await step(settling, found.right);
    if (outcome !== undefined) return outcome;
    if (performance.now() > deadline) return E.left(inTheWay(settling.cluster.dataDir, found.right));
    const waiting = waitingFor(found.right);
    if (waiting !== undefined && waiting !== told) settling.onLog(waiting);
    told = waiting;
    await delay(glance);
  }
};
