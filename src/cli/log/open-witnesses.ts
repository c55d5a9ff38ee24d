import { either as E } from 'fp-ts';
import { makePostgresStorage } from '../../../projections/engine/postgres/postgres-storage.js';
import { makeLedgerSource } from '../../../projections/engine/verify/ledger/ledger-source.js';
import type { Config } from '../../config.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { OnLogFault } from '../../event-sourcing/whole-log/log-fault.js';
import { archiveToVerify } from '../../infrastructure/verification/archive-to-verify.js';
import { endableArchive } from '../../infrastructure/verification/patient-ports.js';
import { openStorage, placesOfCheckpoints } from '../../infrastructure/open-storage.js';
import { configuredDatabase, openDatabase, type OpenLog } from '../../infrastructure/open-stores.js';
import { makeFindLiftedGuards } from '../../infrastructure/postgres/guards.js';
import { makeFindNoted } from '../../infrastructure/postgres/seal/noted-checkpoints.js';
import { makeSealedTree } from '../../infrastructure/postgres/seal/sealed-tree-queries.js';
import type { LogWitnesses } from '../../infrastructure/verification/log-checks.js';
import { makeCommandPool } from '../command-pool.js';
import { printNote } from '../output.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type OpenWitnesses = Pick<LogWitnesses, 'source' | 'tree' | 'archive' | 'findNoted'> & {
  /** Guards of the database that are lifted; undefined where it could not be opened. */
  readonly findLiftedGuards: (() => Promise<ReadonlyArray<string>>) | undefined;
  readonly close: () => Promise<void>;
};

/** Opens the checkpoints in the storage of files. What is kept there and is no checkpoint is a fault. */
const openArchive = async (
  config: Config,
  onFault: OnLogFault,
  signal: AbortSignal,
): Promise<Pick<OpenWitnesses, 'archive' | 'close'>> => {
  const storage = await openStorage(config, { runtime: systemRuntime });
  if (E.isLeft(storage)) return { archive: storage.left.message, close: () => Promise.resolve() };
  const { checkpoints, space } = storage.right;
  return {
    archive: endableArchive(
      archiveToVerify(checkpoints, onFault, signal),
      () => Promise.resolve(!signal.aborted),
      signal,
    ),
    close: async () => {
      await space?.stop();
    },
  };
};

/**
 * Opens the database of the read models, which may be away where the log is in another store, and the file storage.
 * That rejects with `PassOver` while it is read, when `signal` aborts.
 */
export const openWitnesses = async (
  config: Config,
  registry: Registry,
  own: OpenLog['database'],
  onFault: OnLogFault,
  signal: AbortSignal,
): Promise<OpenWitnesses> => {
  const opened =
    own === undefined
      ? await openDatabase(configuredDatabase(config), {
          runtime: systemRuntime,
          processKind: 'operator',
          mustExist: true,
          onPostgresLog: printNote,
        })
      : E.right({ ...own, close: () => Promise.resolve() });
  const storage = await openArchive(config, onFault, signal);
  if (E.isLeft(opened))
    return { ...storage, source: opened.left.message, tree: opened.left.message, findLiftedGuards: undefined };
  const { url, close } = opened.right;
  const pool = makeCommandPool(url, 'log-verify', 4);
  const ledger = ledgerOf(registry);
  return {
    archive: storage.archive,
    source: makeLedgerSource(makePostgresStorage({ runtime: systemRuntime, pool, connectionString: url }), ledger),
    tree: makeSealedTree(pool, ledger.name),
    findNoted: makeFindNoted(pool, placesOfCheckpoints(config)),
    findLiftedGuards: makeFindLiftedGuards(pool),
    close: async () => {
      await storage.close();
      await pool.end();
      await close();
    },
  };
};
