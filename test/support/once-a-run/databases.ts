import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../embedded-postgres.js';

/** A server, a connection to it, and how to leave it as it was found. */
type Server = { readonly connectionString: string; readonly client: pg.Client; readonly leave: () => Promise<void> };

type Databases = {
  /** A new one: empty, or a copy of the one that is named, to which nobody is connected. */
  readonly fresh: (like?: string) => Promise<string>;
  /** Removes all of them. */
  readonly discard: () => Promise<void>;
};

const connect = async (connectionString: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
};

/** Nothing in it outlives the run; and of each of its hundreds of databases autovacuum would begin a process a minute. */
const SETTINGS = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: '400' };

const startOwn = async (): Promise<Server> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'postgres-of-tests-'));
  const { connectionString, stop } = await openEmbedded(dataDir, { settings: SETTINGS });
  const client = await connect(connectionString);
  const leave = async (): Promise<void> => {
    await client.end();
    await stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { connectionString, client, leave };
};

const useGiven = async (connectionString: string, made: ReadonlyArray<string>): Promise<Server> => {
  const client = await connect(connectionString);
  const leave = async (): Promise<void> => {
    for (const name of made) await client.query(`drop database if exists ${name} with (force)`);
    await client.end();
  };
  return { connectionString, client, leave };
};

/** On the server that is given, or else on an embedded one that starts with the first database. */
export const makeDatabases = (given: string | undefined): Databases => {
  const made: Array<string> = [];
  let server: Promise<Server> | undefined;
  return {
    fresh: async (like = 'template1') => {
      server ??= given === undefined ? startOwn() : useGiven(given, made);
      const { connectionString, client } = await server;
      const name = `test_${randomUUID().replaceAll('-', '')}`;
      made.push(name);
      await client.query(`create database ${name} template ${like}`);
      const url = new URL(connectionString);
      url.pathname = `/${name}`;
      return url.href;
    },
    discard: async () => (await server)?.leave(),
  };
};
