import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import type { EventStore } from '../event-sourcing/event-store.js';
import { type CannotOpen, cannotOpen } from './cannot-open.js';
import { type DiskSpace, watchDiskSpace } from './disk-space/disk-space.js';
import { appendWithinSpace } from './disk-space/within-space.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import type { ProcessKind } from './embedded/process-liveness.js';
import { makeEventStoreDb } from './eventstoredb/make-event-store-db.js';
import type { ConnectionEvent } from '../event-sourcing/connection-event.js';
import { makePostgresEventStore } from './postgres/event-log/postgres-event-store.js';

export type Stores = {
  readonly store: EventStore;
  /** Of the disk that Postgres keeps its data on. */
  readonly space: DiskSpace;
  /** Connection string of the Postgres that holds the read models. */
  readonly readModelsUrl: string;
  /** Whether no other process can be at work on the same data. */
  readonly isSoleProcess: boolean;
  readonly close: () => Promise<void>;
};

type OpenStoresOptions = {
  readonly config: Pick<Config, 'dataDir' | 'databaseUrl' | 'eventStoreDbUrl'>;
  /** A service excludes other services from an embedded Postgres; an operator's command joins one. */
  readonly processKind: ProcessKind;
  readonly onPostgresLog: (line: string) => void;
  readonly onConnectionEvent: (event: ConnectionEvent) => void;
};

type Database = {
  readonly url: string;
  /** Where its data is on this machine; undefined where that is somebody else's concern. */
  readonly directory: string | undefined;
  readonly stop: () => Promise<void>;
};

type Log = EventStore & { readonly close: () => Promise<void> };

const openDatabase = async ({
  config,
  processKind,
  onPostgresLog,
}: OpenStoresOptions): Promise<E.Either<CannotOpen, Database>> => {
  if (config.databaseUrl !== undefined)
    return E.right({ url: config.databaseUrl, directory: undefined, stop: () => Promise.resolve() });
  const started = await startEmbeddedPostgres({ dataDir: config.dataDir, processKind, onLog: onPostgresLog });
  if (E.isLeft(started)) return E.left(cannotOpen(started.left));
  const { connectionString, directory, stop } = started.right;
  return E.right({ url: connectionString, directory, stop });
};

const openLog = async (
  { config, onConnectionEvent }: OpenStoresOptions,
  database: Database,
): Promise<E.Either<CannotOpen, Log>> =>
  E.mapLeft(cannotOpen)(
    config.eventStoreDbUrl === undefined
      ? await makePostgresEventStore({ connectionString: database.url, onConnectionEvent })
      : await makeEventStoreDb({ connectionString: config.eventStoreDbUrl, onConnectionEvent }),
  );

/** Opens the log and the read models' database where the configuration says, starting what is embedded. */
export const openStores = async (options: OpenStoresOptions): Promise<E.Either<CannotOpen, Stores>> => {
  const opened = await openDatabase(options);
  if (E.isLeft(opened)) return opened;
  const database = opened.right;
  const log = await openLog(options, database);
  if (E.isLeft(log)) {
    await database.stop();
    return log;
  }
  const space = watchDiskSpace(database.directory);
  return E.right({
    store: options.config.eventStoreDbUrl === undefined ? appendWithinSpace(log.right, space) : log.right,
    space,
    readModelsUrl: database.url,
    isSoleProcess: options.config.databaseUrl === undefined,
    close: async () => {
      await space.stop();
      await log.right.close();
      await database.stop();
    },
  });
};
