import { either as E } from 'fp-ts';
import { type Move, prepareMove } from '../../../projections/engine/move-to-copy.js';
import { refuseOtherOrigins } from '../../../projections/engine/instance/origin.js';
import { makePool } from '../../../projections/engine/pool.js';
import { ProjectionRefused } from '../../../projections/engine/instance/projection-refused.js';
import type { Config } from '../../config.js';
import { startEmbeddedPostgres } from '../../infrastructure/embedded/embedded-postgres.js';
import type { LogLocation, OpenLog } from '../../infrastructure/open-log.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { messageOf } from '../message-of.js';
import { tell } from '../run-command.js';
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

const nothingToMove: Move = { see: () => undefined, commit: () => Promise.resolve(E.right([])) };

const useDatabase = async (
  connectionString: string,
  source: OpenLog,
  use: (move: Move) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const identity = await source.log.identity();
  if (E.isLeft(identity)) throw identity.left;
  const pool = makePool(connectionString, { name: 'log-copy', connections: 2, connectMs: CONNECT_MS });
  try {
    await refuseOtherOrigins(source.log, pool);
    const move = await prepareMove(pool, identity.right);
    if (E.isRight(move)) return await use(move.right);
    tell(`not cut over: ${move.left.reason}`);
    return EXIT.failed;
  } catch (error) {
    if (error instanceof ProjectionRefused) {
      tell(`not cut over: ${error.message}`);
      return EXIT.failed;
    }
    if (!(error instanceof Error) || !('code' in error)) throw error;
    tell(`the database of the read models does not answer as it should: ${messageOf(error)}`);
    return EXIT.failed;
  } finally {
    await pool.end();
  }
};

/** Runs a cut-over with what is needed to move the read models of this configuration along. */
export const withMove = async (
  config: Config,
  { from, to }: Route,
  [source, target]: readonly [OpenLog, OpenLog],
  use: (move: Move) => Promise<ExitCode>,
): Promise<ExitCode> => {
  if (!keepsReadModels(config, to)) return use(nothingToMove);
  if (config.databaseUrl !== undefined) return useDatabase(config.databaseUrl, source, use);
  const embedded = [from, to].findIndex(({ _tag }) => _tag === 'Embedded');
  const url = [source, target][embedded]?.databaseUrl;
  if (url !== undefined) return useDatabase(url, source, use);
  const started = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    claim: 'operator',
    onLog: () => undefined,
  });
  if (E.isLeft(started)) {
    tell(started.left.message);
    return EXIT.failed;
  }
  try {
    return await useDatabase(started.right.connectionString, source, use);
  } finally {
    await started.right.stop();
  }
};
