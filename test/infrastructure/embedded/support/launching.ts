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

/** A new directory that Postgres may enter whoever runs it. */
export const newDirectory = (mode = 0o755): string => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'embedded-'));
  chmodSync(directory, mode);
  return directory;
};

export const discard = (directory: string): void => rmSync(directory, { recursive: true, force: true });

export const pgDataOf = (dataDir: string): string => path.join(dataDir, 'postgres', 'cluster', 'data');

/** The pid in the first line of a server's lock. */
export const serverPid = (dataDir: string): number =>
  Number(readFileSync(path.join(pgDataOf(dataDir), 'postmaster.pid'), 'utf8').split('\n')[0]);

export const options = (
  dataDir: string,
  claim: EmbeddedPostgresOptions['claim'],
  log: Array<string> = [],
): EmbeddedPostgresOptions => ({ dataDir, claim, onLog: (line) => log.push(line), settings: { fsync: 'off' } });

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
export const refused = async (start: Start): Promise<EmbeddedPostgresError> => {
  const outcome = await start;
  if (E.isLeft(outcome)) return outcome.left;
  await outcome.right.stop();
  throw new Error('it started');
};

export const runningService = async (dataDir: string, log: Array<string> = []): Promise<EmbeddedPostgres> =>
  running(startEmbeddedPostgres(options(dataDir, 'service', log)));

export const runningOperator = async (dataDir: string, log: Array<string> = []): Promise<EmbeddedPostgres> =>
  running(startEmbeddedPostgres(options(dataDir, 'operator', log)));

/** The rows of one query on a connection of its own. */
export const rows = async (connectionString: string, sql: string): Promise<ReadonlyArray<unknown>> => {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};

const limit = 30_000; // ms; enough for a busy machine

/** Asks until the answer is there. Rejections count as "not yet". */
export const eventually = async <A>(ask: () => A | undefined | Promise<A | undefined>, what: string): Promise<A> => {
  const deadline = performance.now() + limit;
  while (performance.now() < deadline) {
    const answer = await Promise.resolve()
      .then(ask)
      .catch(() => undefined);
    if (answer !== undefined && answer !== false) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`not seen within ${limit / 1000} s: ${what}`);
};

export const answers = async (connectionString: string): Promise<boolean> =>
  rows(connectionString, 'SELECT 1').then(
    () => true,
    () => false,
  );

export const logged = async (log: ReadonlyArray<string>, line: string): Promise<string> =>
  eventually(() => log.find((each) => each.includes(line)), `"${line}" in ${JSON.stringify(log)}`);
