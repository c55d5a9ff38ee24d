import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import type { LogTarget } from '../event-sourcing/whole-log/log-target.js';
import { type CannotOpen, cannotOpen } from './cannot-open.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { makeEventStoreDb } from './eventstoredb/make-event-store-db.js';
import type { EventStoreDb } from './eventstoredb/options.js';
import type { ConnectionEvent } from '../event-sourcing/connection-event.js';
import { makePostgresEventStore } from './postgres/event-log/postgres-event-store.js';

/** Where a log is. */
export type LogLocation =
  | { readonly _tag: 'Embedded'; readonly dataDir: string }
  | { readonly _tag: 'Postgres'; readonly url: string }
  | { readonly _tag: 'EventStoreDb'; readonly url: string };

export type OpenLog = {
  readonly log: LogTarget;
  /** Of the Postgres that holds the log; undefined when no Postgres does. */
  readonly databaseUrl: string | undefined;
  readonly close: () => Promise<void>;
};

type Listener = {
  /** What an embedded Postgres that is started for this has to say. */
  readonly onPostgresLog: (line: string) => void;
  readonly onConnectionEvent: (event: ConnectionEvent) => void;
};

/** The log that a service with this configuration writes. */
export const configuredLog = ({
  dataDir,
  databaseUrl,
  eventStoreDbUrl,
}: Pick<Config, 'dataDir' | 'databaseUrl' | 'eventStoreDbUrl'>): LogLocation => {
  if (eventStoreDbUrl !== undefined) return { _tag: 'EventStoreDb', url: eventStoreDbUrl };
  return databaseUrl === undefined ? { _tag: 'Embedded', dataDir } : { _tag: 'Postgres', url: databaseUrl };
};

const openPostgres = async (
  connectionString: string,
  { onConnectionEvent }: Listener,
  stop: () => Promise<void>,
): Promise<E.Either<CannotOpen, OpenLog>> => {
  const opened = await makePostgresEventStore({ connectionString, onConnectionEvent });
  if (E.isLeft(opened)) {
    await stop();
    return E.left(cannotOpen(opened.left));
  }
  const log = opened.right;
  const close = async (): Promise<void> => {
    await log.close();
    await stop();
  };
  return E.right({ log, databaseUrl: connectionString, close });
};

/** Opens a log for an operator's command: beside a running service, or on an embedded Postgres started for it. */
export const openLog = async (location: LogLocation, listener: Listener): Promise<E.Either<CannotOpen, OpenLog>> => {
  switch (location._tag) {
    case 'Embedded': {
      const { dataDir } = location;
      const started = await startEmbeddedPostgres({ dataDir, processKind: 'operator', onLog: listener.onPostgresLog });
      return E.isLeft(started)
        ? E.left(cannotOpen(started.left))
        : openPostgres(started.right.connectionString, listener, started.right.stop);
    }
    case 'Postgres':
      return openPostgres(location.url, listener, () => Promise.resolve());
    case 'EventStoreDb': {
      const opened = await makeEventStoreDb({
        connectionString: location.url,
        onConnectionEvent: listener.onConnectionEvent,
      });
      return E.bimap(cannotOpen, (log: EventStoreDb) => ({ log, databaseUrl: undefined, close: log.close }))(opened);
    }
  }
};
