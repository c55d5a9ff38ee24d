import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';

/** A server for the whole run, and how to leave it as it was found. */
type Server = { readonly connectionString: string; readonly stop: () => Promise<void> };

const startOwn = async (): Promise<Server> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'postgres-of-tests-'));
  const settings = { fsync: 'off', max_connections: '200' };
  const started = await startEmbeddedPostgres({ dataDir, claim: 'operator', onLog: () => undefined, settings })();
  if (E.isLeft(started)) throw new Error('Postgres did not start', { cause: started.left });
  const stop = async (): Promise<void> => {
    await started.right.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { connectionString: started.right.connectionString, stop };
};

/** Statements on the server's own database, one after the other. */
const run = async (connectionString: string, ...statements: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

const useGiven = (connectionString: string): Server => ({
  connectionString,
  stop: () => run(connectionString, ...made.map((name) => `drop database if exists ${name} with (force)`)),
});

let server: Promise<Server> | undefined;
const made: Array<string> = [];

const theServer = (): Promise<Server> => {
  const given = process.env['DATABASE_URL'];
  return (server ??= given === undefined ? startOwn() : Promise.resolve(useGiven(given)));
};

/**
 * A new, empty database: on the server that `DATABASE_URL` names, or on an embedded one that starts with the first
 * call and stops with the run. Call it in a `before` hook with `this.timeout(startingPostgres)`.
 */
export const freshDatabase = async (): Promise<string> => {
  const { connectionString } = await theServer();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await run(connectionString, `create database ${name}`);
  made.push(name);
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
};

/** How long a hook may take that starts the server, ms. */
export const startingPostgres = 60_000;

after(async function () {
  this.timeout(startingPostgres);
  await (await server)?.stop();
});
