import { either as E } from 'fp-ts';
import { makePostgresStorage } from '../../../projections/engine/postgres/postgres-storage.js';
import type { ReadModelStorage } from '../../../projections/engine/storage.js';
import type { Config } from '../../config.js';
import { categoriesOf, encryptionRulesOf, type Registry, signingRows } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { openStores, type Stores } from '../../infrastructure/open-stores.js';
import { sharedSnapshotKey } from '../../infrastructure/shared-keys.js';
import { makeCommandPool } from '../command-pool.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { messageOf } from '../message-of.js';
import { failed } from '../output.js';
import { databaseTrouble } from '../database-trouble.js';
import { ReportFailed } from './difference-report.js';
import { LoadFailed } from './loading-threads.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** The log, and the database of the read models. */
export type ReadModels = Pick<Stores, 'store' | 'raw' | 'encryption' | 'keyControl'> & {
  readonly pool: ReturnType<typeof makeCommandPool>;
  /** The read models in it. */
  readonly storage: ReadModelStorage;
  /** Of the read models; of the log too, unless that is in EventStoreDB. */
  readonly databaseUrl: string;
  /** Its projections sign their rows with this key, where there is one. */
  readonly registry: Registry;
  readonly snapshotKey: string | undefined;
  /** The first one is what operators' decisions are sealed with. */
  readonly eventKeys: EventKeys;
};

const isExpected = (error: unknown): error is Error => error instanceof LoadFailed || error instanceof ReportFailed;

/**
 * Opens the log and the read models for the time that `use` takes, beside a running service or without one. Where there is
 * no log it fails, unless `mustExist` is false: then it makes one.
 */
export const withReadModels = async (
  config: Config,
  registry: Registry,
  signal: AbortSignal,
  use: (opened: ReadModels) => Promise<ExitCode>,
  mustExist = true,
): Promise<ExitCode> => {
  const categories = categoriesOf(registry);
  const silent = { onPostgresLog: () => undefined, onConnectionEvent: () => undefined };
  const opened = await openStores(config, {
    runtime: systemRuntime,
    processKind: 'operator',
    mustExist,
    categories,
    rules: encryptionRulesOf(registry),
    ...silent,
  });
  if (E.isLeft(opened)) return failed(opened.left.message);
  const { store, raw, encryption, keyControl, readModelsUrl, close } = opened.right;
  const pool = makeCommandPool(readModelsUrl, 'ops', 6);
  try {
    const snapshotKey = await sharedSnapshotKey(systemRuntime.random, config);
    const signing = signingRows(registry, snapshotKey);
    const eventKeys = await sharedEventKeys(systemRuntime.random, config);
    if (E.isLeft(eventKeys)) return failed(eventKeys.left.message);
    const storage = makePostgresStorage({ runtime: systemRuntime, pool, connectionString: readModelsUrl });
    return await use({
      ...{ store, raw, encryption, keyControl },
      pool,
      storage,
      databaseUrl: readModelsUrl,
      registry: signing,
      snapshotKey,
      eventKeys: eventKeys.right,
    });
  } catch (error) {
    if (signal.aborted) return EXIT.interrupted;
    const trouble = isExpected(error) ? messageOf(error) : databaseTrouble(error);
    if (trouble === undefined) throw error;
    return failed(trouble);
  } finally {
    await pool.end();
    await close();
  }
};
