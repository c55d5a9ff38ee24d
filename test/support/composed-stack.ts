import { exec } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { either as E } from 'fp-ts';
import { openEventStoreDb } from '../../src/infrastructure/eventstoredb/event-store.js';
import { categoriesOf, registry } from '../../src/entities/registry.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { startComposed } from './composed-service.js';
import { startDouble } from './eventstoredb-double/double.js';
import { freshDatabase } from './postgres.js';
import type { Stack } from './running-stack.js';
import { startS3Server } from './s3-server.js';
import { SECRET, tokenFor } from './tokens.js';

type Settings = Readonly<Record<string, string | undefined>>;

/** The service as its process composes it, in this process, with a database of its own. */
const compose = async (settings: Settings, stopServers: () => Promise<void>): Promise<Stack> => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'composed-'));
  const leave = async (): Promise<void> => {
    await stopServers();
    await rm(dataDir, { recursive: true });
  };
  const secrets = { JWT_SECRET: SECRET, EVENT_KEY: `${SECRET} (of events)`, LINK_KEY: `${SECRET} (of links)` };
  const fixed = {
    LOG_LEVEL: 'fatal',
    MAX_UPLOAD_BYTES: '1000000',
    DATABASE_URL: settings['DATABASE_URL'] ?? (await freshDatabase()),
  };
  try {
    const { address, stop } = await startComposed({ dataDir, env: { ...fixed, ...secrets, ...settings } });
    return {
      baseUrl: address,
      tokenFor,
      stop: async () => {
        await stop();
        await leave();
      },
    };
  } catch (error) {
    await leave();
    throw error;
  }
};

/** As on one machine: log and read models in Postgres, files on disk. With a `DATABASE_URL`, beside others of it. */
export const startEmbeddedStack = (settings: Settings = {}): Promise<Stack> =>
  compose(settings, () => Promise.resolve());

/** The storage that the environment names, or one on the wire in this process. */
const s3 = async (): Promise<{ readonly settings: Settings; readonly close: () => Promise<void> }> => {
  const { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY } = process.env;
  if (S3_ENDPOINT !== undefined)
    return { settings: { S3_ENDPOINT, S3_BUCKET, S3_ACCESS_KEY, S3_SECRET_KEY }, close: () => Promise.resolve() };
  const { env, close } = await startS3Server();
  return { settings: env, close };
};

const requireUnusedLog = async (connectionString: string): Promise<void> => {
  const opened = openEventStoreDb({ runtime: systemRuntime, connectionString, categories: categoriesOf(registry) });
  if (E.isLeft(opened)) throw opened.left;
  const head = await opened.right.head();
  await opened.right.close();
  if (E.isLeft(head)) throw head.left;
  if (head.right !== undefined) throw new Error(`EVENTSTOREDB_FRESH gave a log that is not empty: ${connectionString}`);
};

/**
 * The EventStoreDB that the command in `EVENTSTOREDB_FRESH` starts and names on its last line, or the double. The suites
 * of all events say how many there are, so each needs an empty log.
 */
const emptyLog = async (): Promise<{ readonly connectionString: string; readonly close: () => void }> => {
  const command = process.env['EVENTSTOREDB_FRESH'];
  if (command === undefined) return startDouble();
  const { stdout } = await promisify(exec)(command);
  const connectionString = stdout.trim().split('\n').at(-1) ?? '';
  await requireUnusedLog(connectionString);
  return { connectionString, close: () => undefined };
};

/** As on several machines: the log in EventStoreDB, read models in Postgres, files in S3. */
export const startDistributedStack = async (): Promise<Stack> => {
  const log = await emptyLog();
  const files = await s3();
  return compose({ EVENTSTOREDB_URL: log.connectionString, ...files.settings }, async () => {
    log.close();
    await files.close();
  });
};
