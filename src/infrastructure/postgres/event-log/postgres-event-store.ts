import type { either as E } from 'fp-ts';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { asStoreUnavailable, StoreUnavailable } from '../../../event-sourcing/event-store.js';
import type { LogTarget } from '../../../event-sourcing/whole-log/log-target.js';
import { adoptIdentity } from './adopt-identity.js';
import { appendInOrder } from './append-in-order.js';
import { makeAppendQueue } from './append-queue.js';
import { makeCommitFeed } from './commit-feed.js';
import { makeCommitter } from './committer.js';
import { watchHead } from './head-watch.js';
import type { OnConnectionEvent } from '../../../event-sourcing/connection-event.js';
import { planByIndex } from '../../../postgres/index-plans.js';
import { makeLastingConnection } from '../../../postgres/lasting-connection.js';
import { isCreated, migrate } from '../../../postgres/migrate.js';
import { makePool, type PoolOptions } from '../../../postgres/pool.js';
import { requireSessions } from '../../../postgres/require-sessions.js';
import { isForbidden } from '../../../postgres/sql-failure.js';
import { makeNewestEvent } from './read/newest-event.js';
import { makePages } from './read/pages.js';
import { readLog, readStream } from './read/read-log.js';
import { readStrays } from './read/strays.js';
import { isBeingRestored, markRestore } from './restore-mark.js';
import { eventLogSchema } from './schema.js';
import { makeStreamOrder } from './read/stream-order.js';
import { followLog } from './subscription.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';

/** `close` answers the appends that wait, ends the subscriptions without an error and closes every connection. */
export type PostgresEventStore = LogTarget & { readonly close: () => Promise<void> };

export type PostgresEventStoreOptions = {
  readonly runtime: Runtime;
  readonly connectionString: string;
  /** Whether a database without a log is a failure. Default: no, its tables are created there. */
  readonly mustExist?: boolean | undefined;
  /** Connections for reads, opened when needed. There is one more for appends and, with subscribers, one to listen. */
  readonly readers?: number;
  /** Whether to notify other processes of appends. Default: yes. */
  readonly notifies?: boolean;
  readonly onConnectionEvent?: OnConnectionEvent;
};

const DEFAULT_READERS = 8;

/** All statements are fast: when one takes longer, ms, the server does not answer. */
const STATEMENT_TIMEOUT = 5_000;

/** The `application_name` of our connections. */
const NAME = 'event-log';

const notOpened = (cause: unknown): StoreUnavailable => new StoreUnavailable('the event log cannot be opened', cause);

const NO_LOG = 'this database has none yet; a service that starts makes it, and so does `ops migrate`';

const migrateLog = async ({ connectionString, mustExist = false }: PostgresEventStoreOptions): Promise<void> => {
  // no time limit for queries: a step of the schema may take long
  const pool = makePool({ connectionString, name: NAME, connections: 1, connectMs: SILENCE_MS });
  try {
    if (mustExist && !(await isCreated(pool, eventLogSchema))) throw new Error(NO_LOG);
    await migrate(pool, eventLogSchema);
  } catch (cause) {
    if (!isForbidden(cause)) throw cause;
    const reason = 'its tables are not of this version, and this role may not change them';
    throw new Error(`${reason}: run \`ops migrate\` as their owner (${cause.message})`, { cause });
  } finally {
    await pool.end();
  }
};

const open = ({
  runtime,
  connectionString,
  readers = DEFAULT_READERS,
  notifies = true,
  onConnectionEvent = () => undefined,
}: PostgresEventStoreOptions): PostgresEventStore => {
  const config = {
    connectionString,
    keepAlive: true,
    connectionTimeoutMillis: SILENCE_MS,
    query_timeout: STATEMENT_TIMEOUT,
    application_name: NAME,
  };
  const { clock, random } = runtime;
  const process = random.uuid();
  const closing = new AbortController();
  let isClosing = false;
  const reading: PoolOptions = {
    connectionString,
    name: NAME,
    connections: readers,
    connectMs: SILENCE_MS,
    prepare: planByIndex,
    onLost: (cause) => {
      // a connection that is lost while the store closes is no loss
      if (!isClosing) onConnectionEvent({ kind: 'connection-lost', connection: 'reader', cause });
    },
  };
  const pool = makePool({ ...reading, queryMs: STATEMENT_TIMEOUT });
  // no time limit for queries: a copy lasts as long as its reader reads
  const copies = makePool(reading);
  const pages = makePages(clock, pool);
  const { newestOf, forget } = makeNewestEvent(pages);
  const feed = makeCommitFeed(clock);
  const connection = makeLastingConnection({
    config,
    prepare: planByIndex,
    onLost: (cause) => onConnectionEvent({ kind: 'connection-lost', connection: 'writer', cause }),
  });
  const queue = makeAppendQueue(
    clock,
    makeCommitter({ runtime, connection, feed, notifier: notifies ? process : null, onConnectionEvent }),
  );
  let watching: Promise<void> | undefined;

  const ask = <A>(read: () => Promise<A>): Promise<E.Either<StoreUnavailable, A>> => attempt(read, asStoreUnavailable);

  return {
    append: (stream, expected, events, ...options) => queue.add({ stream, expected, events }, ...options),
    readStream: (stream, range) => readStream(pages, stream, range),
    newestRevision: (stream, until) => ask(() => pages.newestRevision(stream, until)),
    readAll: (range) => readLog(pages, range),
    subscribe: (range, signal) => {
      watching ??= watchHead({ runtime, config, feed, pages, process, onConnectionEvent }, closing.signal);
      return followLog({ runtime, feed, pages, onConnectionEvent }, range, AbortSignal.any([signal, closing.signal]));
    },
    head: (categories) => ask(() => newestOf(categories)),
    reaches: ({ commit }) => ask(async () => commit <= (await pages.head())),
    identity: () => ask(pages.identity),
    forget,
    readStrays: () => ask(() => readStrays(pool)),
    byStream: makeStreamOrder(clock, pool, copies),
    appendInOrder: (appends) => appendInOrder(queue, appends),
    adoptIdentity: (identity) => adoptIdentity(pool, identity),
    isBeingRestored: () => ask(() => isBeingRestored(pool)),
    markRestore: (state) => ask(() => markRestore(pool, state)),
    close: async () => {
      isClosing = true;
      await queue.close();
      closing.abort();
      await watching;
      await Promise.all([connection.close(), pool.end(), copies.end()]);
    },
  };
};

/** The event log in Postgres, in the schema `event_log`, which is first migrated, or created unless it must exist. */
export const makePostgresEventStore = (
  options: PostgresEventStoreOptions,
): Promise<E.Either<StoreUnavailable, PostgresEventStore>> =>
  attempt(async () => {
    await requireSessions(options.connectionString, SILENCE_MS);
    await migrateLog(options);
    return open(options);
  }, notOpened);
