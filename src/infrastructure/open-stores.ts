import { either as E } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import { attempt } from '../event-sourcing/attempt.js';
import { SILENCE_MS } from '../event-sourcing/answer-deadline.js';
import type { Config } from '../config.js';
import type { OnConnectionEvent } from '../event-sourcing/connection-event.js';
import { encryptedStore } from '../event-sourcing/encryption/encrypted-store.js';
import type { Encryption, EncryptionRules } from '../event-sourcing/encryption/encryption.js';
import type { EventStore, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { LogTarget } from '../event-sourcing/whole-log/log-target.js';
import { type CannotOpen, cannotOpen } from './cannot-open.js';
import { type DiskSpace, watchDiskSpace } from './disk-space/disk-space.js';
import { appendWithinSpace } from './disk-space/within-space.js';
import { type KeyControl, openEncryption } from './open-encryption.js';
import { openKeyState } from './postgres/erasure/key-state.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import type { ProcessKind } from './process-liveness.js';
import { makePostgresEventStore, type PostgresEventStore } from './postgres/event-log/postgres-event-store.js';
import { connectingBy } from '../postgres/connecting.js';
import { requireSessions } from '../postgres/require-sessions.js';
import { isAway } from '../postgres/sql-failure.js';
import { onceRestored, UNFINISHED } from './unfinished-restore.js';
import type { Clock } from '../event-sourcing/clock.js';

/** Where a Postgres is: one of our own in a data directory, or a server. */
type DatabaseLocation =
  { readonly _tag: 'Embedded'; readonly dataDir: string } | { readonly _tag: 'Postgres'; readonly url: string };

/** Where a log is. */
export type LogLocation = DatabaseLocation | { readonly _tag: 'EventStoreDb'; readonly url: string };

type Locations = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'databaseUrlFile' | 'databaseConnectTimeout' | 'eventStoreDbUrl'
>;

/** And with what its data is encrypted. */
type Settings = Locations & Pick<Config, 'erasure' | 'erasureKeys' | 'eventKeys'>;

/** The Postgres of a service with this configuration: that of its read models. */
export const configuredDatabase = ({
  dataDir,
  databaseUrl,
  databaseUrlFile: file,
  databaseConnectTimeout: timeout,
}: Locations): DatabaseLocation =>
  databaseUrl === undefined
    ? { _tag: 'Embedded', dataDir }
    : { _tag: 'Postgres', url: connectingBy(databaseUrl, { timeout, file }) };

/** The log that a service with this configuration writes. */
export const configuredLog = (config: Locations): LogLocation =>
  config.eventStoreDbUrl === undefined
    ? configuredDatabase(config)
    : { _tag: 'EventStoreDb', url: config.eventStoreDbUrl };

/** Has a Postgres of the log that is away waited for, until `signal` aborts. */
type Waiting = {
  /** Called before each pause. */
  readonly onAway: (cause: unknown) => Promise<void>;
  readonly signal: AbortSignal;
};

type OpenOptions = {
  readonly runtime: Runtime;
  /** Absent: a Postgres that is away is a failure. */
  readonly waiting?: Waiting;
  /** Whether a Postgres without our data is a failure. Otherwise the data directory or the tables are made there. */
  readonly mustExist?: boolean;
  /** Whether a log that is half restored is opened, too: for the restore that goes on. Otherwise it is a failure. */
  readonly isToBeRestored?: boolean;
  /** A service excludes other services from an embedded Postgres; an operator's command joins one. */
  readonly processKind: ProcessKind;
  /** The categories of our streams: in EventStoreDB other streams may stand beside them. */
  readonly categories: ReadonlyArray<string>;
  /** Lines of the log of an embedded Postgres that is started for this. */
  readonly onPostgresLog: (line: string) => void;
  readonly onConnectionEvent: OnConnectionEvent;
};

/** And of a log whose data may be encrypted. */
type OpenStoresOptions = OpenOptions & {
  /** Which events are, and by which keys. */
  readonly rules: EncryptionRules;
};

type OpenDatabase = {
  readonly url: string;
  /** Where its data is on this machine; undefined where that is somebody else's concern. */
  readonly directory: string | undefined;
  readonly close: () => Promise<void>;
};

/** Opens a Postgres: an embedded one is started or joined. */
export const openDatabase = async (
  location: DatabaseLocation,
  {
    runtime,
    processKind,
    mustExist,
    onPostgresLog,
  }: Pick<OpenOptions, 'runtime' | 'processKind' | 'mustExist' | 'onPostgresLog'>,
): Promise<E.Either<CannotOpen, OpenDatabase>> => {
  if (location._tag === 'Postgres')
    return E.right({ url: location.url, directory: undefined, close: () => Promise.resolve() });
  const started = await startEmbeddedPostgres({
    runtime,
    dataDir: location.dataDir,
    processKind,
    mustExist,
    onLog: onPostgresLog,
  });
  return pipe(
    started,
    E.bimap(cannotOpen, ({ connectionString, directory, stop }) => ({ url: connectionString, directory, close: stop })),
  );
};

export type OpenLog = {
  readonly log: LogTarget;
  /** The Postgres that holds the log; undefined when none does. */
  readonly database: OpenDatabase | undefined;
  readonly close: () => Promise<void>;
};

/** How often a server that is away is tried, ms. */
const AWAY_POLL_MS = 500;

const whenThere = async (
  clock: Clock,
  open: () => Promise<E.Either<StoreUnavailable, PostgresEventStore>>,
  waiting: Waiting | undefined,
): Promise<E.Either<StoreUnavailable, PostgresEventStore>> => {
  for (;;) {
    const opened = await open();
    if (E.isRight(opened) || waiting === undefined || !isAway(opened.left.cause)) return opened;
    await waiting.onAway(opened.left.cause);
    if (!(await clock.sleep(AWAY_POLL_MS, waiting.signal))) return opened;
  }
};

const openLogIn = async (
  database: OpenDatabase,
  notifies: boolean,
  { runtime, mustExist, onConnectionEvent, waiting }: OpenOptions,
): Promise<E.Either<CannotOpen, OpenLog>> => {
  const options = { runtime, connectionString: database.url, mustExist, notifies, onConnectionEvent };
  const opened = await whenThere(runtime.clock, () => makePostgresEventStore(options), waiting);
  if (E.isLeft(opened)) {
    await database.close();
    return E.left(cannotOpen(opened.left));
  }
  const log = opened.right;
  const close = async (): Promise<void> => {
    await log.close();
    await database.close();
  };
  return E.right({ log, database, close });
};

const openInEventStoreDb = async (
  connectionString: string,
  { runtime, categories, onConnectionEvent }: OpenOptions,
): Promise<E.Either<CannotOpen, OpenLog>> => {
  const { openEventStoreDb } = await import('./eventstoredb/event-store.js');
  return pipe(
    openEventStoreDb({ runtime, connectionString, categories, onConnectionEvent }),
    E.bimap(cannotOpen, (log) => ({ log, database: undefined, close: log.close })),
  );
};

/** gRPC is loaded only for a log in EventStoreDB. */
const openAny = async (location: LogLocation, options: OpenOptions): Promise<E.Either<CannotOpen, OpenLog>> => {
  if (location._tag === 'EventStoreDb') return openInEventStoreDb(location.url, options);
  const database = await openDatabase(location, options);
  if (E.isLeft(database)) return database;
  // a service has an embedded Postgres to itself: nobody else follows its appends
  const notifies = location._tag !== 'Embedded' || options.processKind !== 'service';
  return openLogIn(database.right, notifies, options);
};

/** A server that holds the read models alone may be away at the start, but not be one that can never be used. */
const requireUsable = async ({ url, directory }: OpenDatabase): Promise<E.Either<CannotOpen, void>> => {
  if (directory !== undefined) return E.right(undefined);
  const checked = await attempt(
    () => requireSessions(url, SILENCE_MS),
    (cause) => ({ message: 'the database of the read models cannot be opened', cause }),
  );
  return E.isLeft(checked) && !isAway(checked.left.cause) ? E.left(cannotOpen(checked.left)) : E.right(undefined);
};

/** Left where a restore has not ended. A log that does not answer now is asked again later. */
const unlessHalfRestored = async (opened: OpenLog): Promise<E.Either<CannotOpen, OpenLog>> => {
  const marked = await opened.log.isBeingRestored();
  if (E.isLeft(marked) || !marked.right) return E.right({ ...opened, log: onceRestored(opened.log) });
  await opened.close();
  return E.left({ _tag: 'CannotOpen', message: UNFINISHED });
};

/** Opens a log, with the Postgres that holds it where one does. */
export const openLog = async (location: LogLocation, options: OpenOptions): Promise<E.Either<CannotOpen, OpenLog>> => {
  const opened = await openAny(location, options);
  return E.isLeft(opened) || options.isToBeRestored === true ? opened : unlessHalfRestored(opened.right);
};

export type Stores = {
  readonly store: EventStore;
  /** The same log as it is stored: encrypted, where there is an `encryption`. */
  readonly raw: EventStore;
  readonly encryption: Encryption | undefined;
  readonly keyControl: KeyControl | undefined;
  /** Of the disk that Postgres keeps its data on. */
  readonly space: DiskSpace;
  /** Connection string of the Postgres that holds the read models. */
  readonly readModelsUrl: string;
  /** Whether no other process can be at work on the same data. */
  readonly isSoleProcess: boolean;
  readonly close: () => Promise<void>;
};

const openReadModels = async (config: Locations, options: OpenOptions): Promise<E.Either<CannotOpen, OpenDatabase>> => {
  const database = await openDatabase(configuredDatabase(config), options);
  if (E.isLeft(database)) return database;
  const usable = await requireUsable(database.right);
  return E.isLeft(usable) ? usable : database;
};

/**
 * The keys of an open log, where its data is encrypted. They are in the Postgres of the read models, which is opened for them
 * where the log is elsewhere.
 */
export const openKeys = async (
  config: Settings,
  log: Pick<EventStore, 'readStream' | 'append'>,
  databaseUrl: string,
  { runtime, processKind, rules }: Pick<OpenStoresOptions, 'runtime' | 'processKind' | 'rules'>,
  begins?: 'when it is filled',
): ReturnType<typeof openEncryption> =>
  openEncryption({
    ...{ runtime, config, store: log, rules },
    openState: () => openKeyState(databaseUrl),
    begins: begins ?? (processKind === 'service' ? 'now' : 'not here'),
  });

/** Opens the log and the read models' database where the configuration says. */
export const openStores = async (
  config: Settings,
  options: OpenStoresOptions,
): Promise<E.Either<CannotOpen, Stores>> => {
  const opened = await openLog(configuredLog(config), options);
  if (E.isLeft(opened)) return opened;
  const { log, database: own, close: closeLog } = opened.right;
  const database = own === undefined ? await openReadModels(config, options) : E.right(own);
  if (E.isLeft(database)) {
    await closeLog();
    return database;
  }
  const closeBoth = async (): Promise<void> => {
    await closeLog();
    if (own === undefined) await database.right.close();
  };
  const keys = await openKeys(config, log, database.right.url, options);
  if (E.isLeft(keys)) {
    await closeBoth();
    return keys;
  }
  const { encryption, keyControl } = keys.right;
  const space = watchDiskSpace(options.runtime.clock, database.right.directory);
  const store = own === undefined ? log : appendWithinSpace(log, space);
  return E.right({
    store: encryption === undefined ? store : encryptedStore(store, encryption),
    raw: store,
    encryption,
    keyControl,
    space,
    readModelsUrl: database.right.url,
    isSoleProcess: config.databaseUrl === undefined,
    close: async () => {
      await space.stop();
      await keys.right.close();
      await closeBoth();
    },
  });
};
