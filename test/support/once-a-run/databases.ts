import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../embedded-postgres.js';

/** A server, and how to leave it as it was found. */
type Server = { readonly connectionString: string; readonly leave: () => Promise<void> };

type Databases = {
  /** A new one: empty, or a copy of the one that is named, to which nobody is connected. */
  readonly fresh: (like?: string) => Promise<string>;
  /** Removes all of them. */
  readonly discard: () => Promise<void>;
};

const startOwn = async (): Promise<Server> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'postgres-of-tests-'));
  const settings = { fsync: 'off', max_connections: '400' };
  const { connectionString, stop } = await openEmbedded(dataDir, { settings });
  const leave = async (): Promise<void> => {
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { connectionString, leave };
};

/** Statements on the server's own database, one after the other. */
const run = async (connectionString: string, statements: ReadonlyArray<string>): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
};

const useGiven = (connectionString: string, made: ReadonlyArray<string>): Server => ({
  connectionString,
  leave: () =>
    run(
      connectionString,
      made.map((name) => `drop database if exists ${name} with (force)`),
    ),
});

/** On the server that is given, or else on an embedded one that starts with the first database. */
export const makeDatabases = (given: string | undefined): Databases => {
  const made: Array<string> = [];
  let server: Promise<Server> | undefined;
  return {
    fresh: async (like = 'template1') => {
      server ??= given === undefined ? startOwn() : Promise.resolve(useGiven(given, made));
      const { connectionString } = await server;
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      made.push(name);
      await run(connectionString, [`create database ${name} template ${like}`]);
      const url = new URL(connectionString);
      url.pathname = `/${name}`;
      return url.href;
    },
    discard: async () => (await server)?.leave(),
  };
};
