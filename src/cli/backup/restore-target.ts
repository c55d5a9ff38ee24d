import { either as E } from 'fp-ts';
import { readLive } from '../../../projections/engine/postgres/generations.js';
import type { Config } from '../../config.js';
import { FILES } from '../../application/document/file-key.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import { configuredDatabase, configuredLog, openDatabase } from '../../infrastructure/open-stores.js';
import { openStorage, type Storage } from '../../infrastructure/open-storage.js';
import { unlessNoTable } from '../../postgres/sql-failure.js';
import type { ExitCode } from '../exit-code.js';
import { withLog } from '../log/with-log.js';
import { failed, printNote } from '../output.js';
import { type CommandPool, withCommandPool } from '../with-command-pool.js';
import { withOpened } from '../with-opened.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** What a service with these settings keeps its data in. */
export type Installation = {
  readonly log: LogTarget;
  /** Connection string of the database of the read models, and a pool of it. */
  readonly url: string;
  readonly pool: CommandPool;
  readonly storage: Storage;
};

const withPool = async (
  config: Config,
  url: string | undefined,
  use: (database: Pick<Installation, 'url' | 'pool'>) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const useIn = (database: { readonly url: string }): Promise<ExitCode> =>
    withCommandPool(database.url, 'ops restore', (pool) => use({ url: database.url, pool }));
  // an embedded one is open already where it holds the log
  if (url !== undefined) return useIn({ url });
  const options = { runtime: systemRuntime, processKind: 'operator', onPostgresLog: printNote } as const;
  return withOpened(await openDatabase(configuredDatabase(config), options), useIn);
};

/** Opens log, database and files for the time that `use` takes; makes what is missing. */
export const withInstallation = (
  config: Config,
  registry: Registry,
  use: (installation: Installation) => Promise<ExitCode>,
): Promise<ExitCode> =>
  withLog(
    configuredLog(config),
    registry,
    ({ log, database }) =>
      withPool(config, database?.url, async (readModels) => {
        const storage = await openStorage(config, { runtime: systemRuntime });
        if (E.isLeft(storage)) return failed(storage.left.message);
        try {
          return await use({ log, ...readModels, storage: storage.right });
        } finally {
          await storage.right.space?.stop();
        }
      }),
    'is restored',
  );

/** A service that runs makes read models, and keys, and signs. */
const hasReadModels = async (pool: CommandPool, registry: Registry): Promise<boolean> =>
  (await unlessNoTable(() => readLive(pool, ledgerOf(registry).name), undefined)) !== undefined;

const hasFiles = async ({ list }: Storage): Promise<boolean> => {
  for await (const _file of list(FILES)) return true;
  return false;
};

/**
 * Whether the installation is one that a restore of this log goes on in; left: why nothing may be restored there. A log
 * comes first and the files after it, so files without a log are those of somebody else.
 */
export const findOutWhereToGoOn = async (
  { log, pool, storage }: Installation,
  registry: Registry,
  name: string,
): Promise<E.Either<string, boolean>> => {
  const head = orThrow(await log.head());
  if (head !== undefined && orThrow(await log.identity()) !== name)
    return E.left('the log is not empty: it holds the events of another installation');
  if (await hasReadModels(pool, registry))
    return E.left('a service has run there already: restore before its first start, into an empty database');
  if (head === undefined && (await hasFiles(storage))) return E.left('the file storage is not empty');
  return E.right(head !== undefined);
};
