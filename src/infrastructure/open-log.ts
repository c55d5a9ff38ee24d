import { taskEither as TE } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { Config } from '../config.js';
import type { LogTarget } from '../event-sourcing/whole-log/log-target.js';
import { type CannotOpen, cannotOpen } from './cannot-open.js';
import { startEmbeddedPostgres } from './embedded/embedded-postgres.js';
import { makeEventStoreDb } from './eventstoredb/make-event-store-db.js';
import type { Incident } from './open-stores.js';
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
  readonly onIncident: (incident: Incident) => void;
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

const openPostgres = (
  connectionString: string,
  { onIncident }: Listener,
  stop: () => Promise<void>,
): TE.TaskEither<CannotOpen, OpenLog> =>
  pipe(
    makePostgresEventStore({ connectionString, onIncident }),
    TE.mapLeft(cannotOpen),
    TE.orElseFirstTaskK(() => stop),
    TE.map((log) => ({
      log,
      databaseUrl: connectionString,
      close: async () => {
        await log.close();
        await stop();
      },
    })),
  );

/** Opens a log for an operator's command: beside a running service, or on an embedded Postgres started for it. */
export const openLog = (location: LogLocation, listener: Listener): TE.TaskEither<CannotOpen, OpenLog> => {
  switch (location._tag) {
    case 'Embedded':
      return pipe(
        startEmbeddedPostgres({ dataDir: location.dataDir, claim: 'operator', onLog: listener.onPostgresLog }),
        TE.mapLeft(cannotOpen),
        TE.chain(({ connectionString, stop }) => openPostgres(connectionString, listener, stop)),
      );
    case 'Postgres':
      return openPostgres(location.url, listener, () => Promise.resolve());
    case 'EventStoreDb':
      return pipe(
        makeEventStoreDb({ connectionString: location.url, onIncident: listener.onIncident }),
        TE.bimap(cannotOpen, (log) => ({ log, databaseUrl: undefined, close: log.close })),
      );
  }
};
