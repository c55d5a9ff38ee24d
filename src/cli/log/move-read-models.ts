import { either as E } from 'fp-ts';
import { type Move, prepareMove } from '../../../projections/engine/postgres/move-to-copy.js';
import type { Config } from '../../config.js';
import { readModelsOf, type Registry } from '../../entities/registry.js';
import { configuredDatabase, type LogLocation, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { failed } from '../output.js';
import { withCommandPool } from '../with-command-pool.js';
import { withOpened } from '../with-opened.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** What is copied, and where to. */
export type Logs = readonly [source: OpenLog, target: OpenLog];

/** Whether a service that keeps its log there has its read models where they are now. */
export const keepsReadModels = ({ databaseUrl }: Config, to: LogLocation): boolean => {
  switch (to._tag) {
    case 'EventStoreDb':
      return true;
    case 'Postgres':
      return databaseUrl === to.url;
    case 'Embedded':
      return databaseUrl === undefined;
  }
};

const nothingToMove: Move = { onEvent: () => undefined, commit: () => Promise.resolve(E.right([])) };

type Use = (move: Move) => Promise<ExitCode>;

const moveIn = (connectionString: string, registry: Registry, { log }: OpenLog, use: Use): Promise<ExitCode> =>
  withCommandPool(connectionString, 'log-copy', async (pool) => {
    const move = await prepareMove(pool, log, readModelsOf(registry));
    return E.isLeft(move) ? failed(`not cut over: ${move.left.message}`) : use(move.right);
  });

/**
 * Runs with the connection string of the Postgres where a service with this log has its read models: the one that holds the
 * log, else that of this configuration. `other` is open, too.
 */
export const withReadModelsOf = async (
  config: Config,
  { database: own }: OpenLog,
  other: OpenLog,
  use: (url: string) => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (own !== undefined) return use(own.url);
  const location = configuredDatabase(config);
  // an embedded one may be open already, as it holds the other log
  if (location._tag === 'Embedded' && other.database?.directory !== undefined) return use(other.database.url);
  const database = await openDatabase(location, {
    runtime: systemRuntime,
    processKind: 'operator',
    onPostgresLog: () => undefined,
  });
  return withOpened(database, ({ url }) => use(url));
};

/** Runs a cut-over with what is needed to move the read models of this configuration along. */
export const withMove = (
  config: Config,
  registry: Registry,
  to: LogLocation,
  [source, target]: Logs,
  use: Use,
): Promise<ExitCode> =>
  keepsReadModels(config, to)
    ? withReadModelsOf(config, target, source, (url) => moveIn(url, registry, source, use))
    : use(nothingToMove);
