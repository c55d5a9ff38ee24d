import { either as E } from 'fp-ts';
import { type Move, prepareMove } from '../../../projections/engine/postgres/move-to-copy.js';
import type { Config } from '../../config.js';
import { readModelsOf, type Registry } from '../../entities/registry.js';
import { configuredDatabase, type LogLocation, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { failed } from '../output.js';
import { withCommandPool } from '../with-command-pool.js';
import { withOpened } from '../with-opened.js';
import type { Route } from './copy-report.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

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

/** Runs a cut-over with what is needed to move the read models of this configuration along. */
export const withMove = async (
  config: Config,
  registry: Registry,
  { from, to }: Route,
  [source, target]: readonly [OpenLog, OpenLog],
  use: Use,
): Promise<ExitCode> => {
  if (!keepsReadModels(config, to)) return use(nothingToMove);
  const location = configuredDatabase(config);
  // an embedded one may be open already, as it holds one of the logs
  const opened = [from, to].findIndex(({ _tag }) => _tag === 'Embedded' && location._tag === 'Embedded');
  const own = [source, target][opened]?.database;
  if (own !== undefined) return moveIn(own.url, registry, source, use);
  const database = await openDatabase(location, {
    runtime: systemRuntime,
    processKind: 'operator',
    onPostgresLog: () => undefined,
  });
  return withOpened(database, ({ url }) => moveIn(url, registry, source, use));
};
