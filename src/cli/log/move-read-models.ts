import { either as E } from 'fp-ts';
import { type Move, prepareMove } from '../../../projections/engine/move-to-copy.js';
import type { Config } from '../../config.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';
import { configuredDatabase, type LogLocation, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import { isDatabaseError } from '../../postgres/sql-failure.js';
import { makePool } from '../../postgres/pool.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { messageOf } from '../message-of.js';
import { printNote } from '../output.js';
import type { Route } from './copy-report.js';

const CONNECT_MS = 5_000;

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

const moveIn = async (connectionString: string, registry: Registry, { log }: OpenLog, use: Use): Promise<ExitCode> => {
  const pool = makePool({ connectionString, name: 'log-copy', connections: 2, connectMs: CONNECT_MS });
  try {
    const move = await prepareMove(pool, log, projectionsOf(registry));
    if (E.isRight(move)) return await use(move.right);
    printNote(`not cut over: ${move.left.message}`);
    return EXIT.failed;
  } catch (error) {
    if (!isDatabaseError(error)) throw error;
    printNote(`the database of the read models does not answer as it should: ${messageOf(error)}`);
    return EXIT.failed;
  } finally {
    await pool.end();
  }
};

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
  const database = await openDatabase(location, { processKind: 'operator', onPostgresLog: () => undefined });
  if (E.isLeft(database)) {
    printNote(database.left.message);
    return EXIT.failed;
  }
  try {
    return await moveIn(database.right.url, registry, source, use);
  } finally {
    await database.right.close();
  }
};
