import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import pg from 'pg';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../../src/infrastructure/embedded/embedded-postgres.js';
import type { EmbeddedPostgresError } from '../../../../src/infrastructure/embedded/embedded-postgres-error.js';
import { eventually } from '../../../support/eventually.js';
import { type Heard, makeHeard } from '../../../support/news.js';
import { systemRuntime } from '../../../../src/infrastructure/system-runtime.js';

/** When to give up waiting for other processes, which start slowly on a busy machine. */
const BUSY_MACHINE_MS = 30_000;

/** How long a test may take that starts several of them, ms. */
export const SEVERAL_STARTS_MS = 180_000;

/** A new directory that Postgres may enter, whatever account it runs as. */
export const newDirectory = (mode = 0o755): string => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'embedded-'));
  chmodSync(directory, mode);
  return directory;
};

export const discard = (directory: string): void => rmSync(directory, { recursive: true, force: true });

export const pgDataOf = (dataDir: string): string => path.join(dataDir, 'postgres', 'cluster', 'data');

export const lockFileOf = (dataDir: string): string => path.join(pgDataOf(dataDir), 'postmaster.pid');

/** The pid in the first line of a server's lock file. */
export const serverPid = (dataDir: string): number => Number(readFileSync(lockFileOf(dataDir), 'utf8').split('\n')[0]);

export const options = (
  dataDir: string,
  processKind: EmbeddedPostgresOptions['processKind'],
  log: Heard<string> = makeHeard(),
): EmbeddedPostgresOptions => ({
  runtime: systemRuntime,
  dataDir,
  processKind,
  onLog: log.hear,
  settings: { fsync: 'off' },
});

const starts: Array<Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>>> = [];

/** Stops what a failed test has left running, which would keep mocha from ending. */
export const stopLeftovers = async (): Promise<void> => {
  for (const outcome of await Promise.all(starts.splice(0))) if (E.isRight(outcome)) await outcome.right.stop();
};

type Start = Promise<E.Either<EmbeddedPostgresError, EmbeddedPostgres>>;

/** The server, or the test fails with the message. */
export const running = async (start: Start): Promise<EmbeddedPostgres> => {
  starts.push(start);
  const outcome = await start;
  if (E.isLeft(outcome)) throw new Error(outcome.left.message);
  return outcome.right;
};

/** The error, or the test fails and the server is stopped. */
export const startError = async (start: Start): Promise<EmbeddedPostgresError> => {
  const outcome = await start;
  if (E.isLeft(outcome)) return outcome.left;
  await outcome.right.stop();
  throw new Error('it started');
};

export const runningService = async (dataDir: string, log?: Heard<string>): Promise<EmbeddedPostgres> =>
  running(startEmbeddedPostgres(options(dataDir, 'service', log)));

export const runningOperator = async (dataDir: string, log?: Heard<string>): Promise<EmbeddedPostgres> =>
  running(startEmbeddedPostgres(options(dataDir, 'operator', log)));

/** The rows of one query on a connection of its own. */
export const rows = async (connectionString: string, sql: string): Promise<ReadonlyArray<unknown>> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: BUSY_MACHINE_MS });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};

export const answers = async (connectionString: string): Promise<boolean> =>
  rows(connectionString, 'SELECT 1').then(
    () => true,
    () => false,
  );

/** Waits for a line of a log that includes `text`. */
export const logged = (log: Heard<string>, text: string): Promise<unknown> =>
  log.until((lines) => lines.some((line) => line.includes(text)));

/** Resolves when a service has the lock of this database. */
export const untilLockedByService = (connectionString: string): Promise<unknown> => {
  const sql = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 1 AND granted";
  // polls: nobody is told when the service has the lock again
  return eventually(
    () => rows(connectionString, sql).catch(() => []),
    ({ length }) => length === 1,
    SEVERAL_STARTS_MS,
  );
};
