import { setTimeout as delay } from 'node:timers/promises';
import { either as E } from 'fp-ts';
import type pg from 'pg';
import { pause } from '../../event-sourcing/pause.js';
import { user } from './cluster.js';
import { type Address, clientFor, withClient } from './connection.js';
import {
  cannotStart,
  type CannotStart,
  codeOf,
  type DataDirectoryInUse,
  inUseByService,
} from './embedded-postgres-error.js';
import type { ClaimKind } from './process-liveness.js';

/**
 * The right to work in a data directory: a session-level advisory lock, exclusive for a service, shared among
 * operators' commands, on a connection of its own. It ends with the process, in whatever way that ends; no pooler
 * stands between us and a server that we start ourselves. Taken again whenever the connection drops.
 */
export type Claim = {
  /** The processes of operators' commands that hold a claim besides this one. */
  readonly operators: () => Promise<ReadonlyArray<number>>;
  readonly release: () => Promise<void>;
};

type Claiming = {
  readonly kind: ClaimKind;
  readonly address: Address;
  readonly dataDir: string;
};

const family = 0x45_50_47; // "EPG", the first half of the key; unlikely to be taken by anybody else
const members: Readonly<Record<ClaimKind, number>> = { service: 1, operator: 2 };
const lockFunctions: Readonly<Record<ClaimKind, string>> = {
  service: 'pg_advisory_lock',
  operator: 'pg_advisory_lock_shared',
};

const lockPatience = '3s'; // below that of the connection
const longestPause = 2_000; // ms
const farewell = 1_000; // ms

const nameFor = (kind: ClaimKind): string => `embedded-postgres ${kind} ${process.pid}`;

const connectAndLock = async ({ kind, address }: Claiming): Promise<pg.Client> => {
  const client = clientFor(address, user, nameFor(kind));
  try {
    await client.connect();
    await client.query(`SET lock_timeout = '${lockPatience}'`);
    await client.query(`SELECT ${lockFunctions[kind]}($1, $2)`, [family, members[kind]]);
    return client;
  } catch (cause) {
    await client.end().catch(() => undefined);
    throw cause;
  }
};

/** The processes that hold claims of a kind, from the names they gave to their connections. */
const holders = async (client: pg.Client, kind: ClaimKind): Promise<ReadonlyArray<number>> => {
  const { rows } = await client.query<{ name: string }>(
    `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a USING (pid)
     WHERE l.locktype = 'advisory' AND l.granted AND l.classid = $1 AND l.objid = $2 AND pid <> pg_backend_pid()`,
    [family, members[kind]],
  );
  return rows.map(({ name }) => Number(name.split(' ').at(-1)));
};

const lockNotAvailable = '55P03';

const refusal = async (claiming: Claiming, cause: unknown): Promise<DataDirectoryInUse | CannotStart> => {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (codeOf(cause) !== lockNotAvailable) return cannotStart(`it runs and cannot be connected to (${reason})`);
  const [holder] = await withClient(claiming.address, user, (client) => holders(client, 'service'));
  return inUseByService(claiming.dataDir, holder ?? 0);
};

const takeAgain = async (claiming: Claiming, released: AbortSignal): Promise<pg.Client | undefined> => {
  for (let attempt = 1; await pause(Math.min(longestPause, 10 * 2 ** attempt), released); attempt += 1) {
    const client = await connectAndLock(claiming).catch(() => undefined); // the server is down or on its way up
    if (client !== undefined) return client;
  }
  return undefined;
};

/** Not `events.once`, which rejects when an error precedes the end. */
const ended = async (client: pg.Client): Promise<void> =>
  new Promise((resolve) => void client.once('end', () => resolve()));

const keep = (claiming: Claiming, first: pg.Client): Claim => {
  const released = new AbortController();
  let current = first;
  const keepOn = async (): Promise<void> => {
    while (!released.signal.aborted) {
      await ended(current);
      const next = await takeAgain(claiming, released.signal);
      if (next !== undefined) current = next;
    }
    await current.end();
  };
  const kept = keepOn().catch(() => undefined);
  return {
    operators: () => holders(current, 'operator'),
    release: async () => {
      released.abort();
      void current.end().catch(() => undefined);
      await Promise.race([kept, delay(farewell, undefined, { ref: false })]);
    },
  };
};

/** Takes the claim, or says who holds it. */
export const takeClaim = async (claiming: Claiming): Promise<E.Either<DataDirectoryInUse | CannotStart, Claim>> => {
  try {
    return E.right(keep(claiming, await connectAndLock(claiming)));
  } catch (cause) {
    return E.left(await refusal(claiming, cause));
  }
};
