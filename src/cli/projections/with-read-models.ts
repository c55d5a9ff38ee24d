import { either as E } from 'fp-ts';
import { NoLiveRows } from '../../../projections/engine/instance/live-instance.js';
import { makePool } from '../../../projections/engine/pool.js';
import { NotLevel } from '../../../projections/engine/rebuild/live-stands.js';
import { RebuildRefused } from '../../../projections/engine/rebuild/rebuild-refused.js';
import { ProjectionRefused } from '../../../projections/engine/instance/projection-refused.js';
import { Deposed } from '../../../projections/engine/instance/lease.js';
import type { Config } from '../../config.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { openStores } from '../../infrastructure/open-stores.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { messageOf } from '../message-of.js';
import { tell } from '../run-command.js';
import { databaseTrouble } from './database-trouble.js';
import { ReportFailed } from './difference-report.js';
import { LoadFailed } from './loading-threads.js';

const CONNECTIONS = 6;
const CONNECT_MS = 5_000;

/** The log, and the database of the read models. */
export type ReadModels = {
  readonly store: EventStore;
  readonly pool: ReturnType<typeof makePool>;
  /** Of the read models; of the log too, unless that is in EventStoreDB. */
  readonly databaseUrl: string;
};

const isExpected = (error: unknown): error is Error =>
  error instanceof RebuildRefused ||
  error instanceof LoadFailed ||
  error instanceof ReportFailed ||
  error instanceof NoLiveRows ||
  error instanceof ProjectionRefused ||
  error instanceof NotLevel ||
  error instanceof Deposed;

/** Opens the log and the read models for the time that `use` takes, beside a running service or without one. */
export const withReadModels = async (
  config: Config,
  signal: AbortSignal,
  use: (opened: ReadModels) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const silent = { onPostgresLog: () => undefined, onConnectionEvent: () => undefined };
  const opened = await openStores({ config, processKind: 'operator', ...silent });
  if (E.isLeft(opened)) {
    tell(opened.left.message);
    return EXIT.failed;
  }
  const { store, readModelsUrl, close } = opened.right;
  const pool = makePool(readModelsUrl, { name: 'ops', connections: CONNECTIONS, connectMs: CONNECT_MS });
  try {
    return await use({ store, pool, databaseUrl: readModelsUrl });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    const trouble = isExpected(error) ? messageOf(error) : databaseTrouble(error);
    if (trouble === undefined) throw error;
    tell(trouble);
    return EXIT.failed;
  } finally {
    await pool.end();
    await close();
  }
};
