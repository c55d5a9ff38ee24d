import { either as E } from 'fp-ts';
import type pg from 'pg';
import { makeRetry } from '../../event-sourcing/retry.js';
import { errorCode } from '../error-code.js';
import { reasonOf } from '../../event-sourcing/reason-of.js';
import { withTimeout } from '../../event-sourcing/with-timeout.js';
import { user } from './cluster.js';
import { type Address, clientFor, withClient } from './connection.js';
import { cannotStart, type CannotStart, type DataDirectoryInUse, inUseByService } from './embedded-postgres-error.js';
import type { ProcessKind } from '../process-liveness.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

/**
 * The right to work in a data directory: a session-level advisory lock on a connection of its own, exclusive for a
 * service, shared by operators' commands. Postgres releases it when this process ends, however it ends. When the
 * connection is lost, the lock is taken again.
 */
export type DataDirectoryLock = {
  /** The pids of the other operators' commands that hold the lock. */
  readonly otherOperators: () => Promise<ReadonlyArray<number>>;
  readonly release: () => Promise<void>;
};

type LockRequest = {
  readonly runtime: Runtime;
  readonly processKind: ProcessKind;
  readonly address: Address;
  readonly dataDir: string;
};

/** The two halves of the lock's key; the first is "EPG", which nobody else is likely to use. */
const lockClass = 0x45_50_47;
const lockIds: Readonly<Record<ProcessKind, number>> = { service: 1, operator: 2 };

const lockFunctions: Readonly<Record<ProcessKind, string>> = {
  service: 'pg_advisory_lock',
  operator: 'pg_advisory_lock_shared',
};

const lockTimeout = '3s'; // shorter than the timeout of a statement
const backoff = { first: 40, longest: 4_000 }; // ms, after the connection was lost
const endTimeoutMs = 1_000;

/** Other processes read the pid from this name. */
const applicationName = (kind: ProcessKind): string => `embedded-postgres ${kind} ${process.pid}`;

const connectAndLock = async ({ processKind, address }: LockRequest): Promise<pg.Client> => {
  const client = clientFor(address, user, applicationName(processKind));
  try {
    await client.connect();
    await client.query(`SET lock_timeout = '${lockTimeout}'`);
    await client.query(`SELECT ${lockFunctions[processKind]}($1, $2)`, [lockClass, lockIds[processKind]]);
    return client;
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw cause;
  }
};

/** The pids of the other processes that hold the lock of a kind. */
const holders = async (client: pg.Client, kind: ProcessKind): Promise<ReadonlyArray<number>> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2 AND pid <> pg_backend_pid()`,
    [lockClass, lockIds[kind]],
  );
  return rows.map(({ name }) => Number(name.split(' ').at(-1)));
};

const lockNotAvailable = '55P03';

const lockFailure = async (request: LockRequest, cause: unknown): Promise<DataDirectoryInUse | CannotStart> => {
  if (errorCode(cause) !== lockNotAvailable)
    return cannotStart(`the server runs, but connecting to it failed (${reasonOf(cause)})`);
  const [holder] = await withClient(request.address, user, (client) => holders(client, 'service'));
  return inUseByService(request.dataDir, holder ?? 0);
};

const lockAgain = async (request: LockRequest, released: AbortSignal): Promise<pg.Client | undefined> => {
  const retry = makeRetry({ runtime: request.runtime, ...backoff, signal: released });
  while (await retry.again()) {
    const client = await connectAndLock(request).catch(() => undefined); // the server may be down or starting
    if (client !== undefined) return client;
  }
  return undefined;
};

/** Not `events.once`, which rejects when an error comes before the end. */
const ended = async (client: pg.Client): Promise<void> =>
  new Promise((resolve) => void client.once('end', () => resolve()));

const hold = (request: LockRequest, first: pg.Client): DataDirectoryLock => {
  const released = new AbortController();
  let current = first;
  const holdUntilReleased = async (): Promise<void> => {
    while (!released.signal.aborted) {
      await ended(current);
      const next = await lockAgain(request, released.signal);
      if (next !== undefined) current = next;
    }
    await current.end();
  };
  const holding = holdUntilReleased().catch(() => undefined);
  return {
    otherOperators: () => holders(current, 'operator'),
    release: async () => {
      released.abort();
      void current.end().catch(() => undefined);
      await withTimeout(request.runtime.clock, endTimeoutMs, holding);
    },
  };
};

/** Takes the lock; `DataDirectoryInUse` names the service that holds it. */
export const lockDataDirectory = async (
  request: LockRequest,
): Promise<E.Either<DataDirectoryInUse | CannotStart, DataDirectoryLock>> => {
  try {
    return E.right(hold(request, await connectAndLock(request)));
  } catch (cause) {
    return E.left(await lockFailure(request, cause));
  }
};
