import type { Config } from '../../config.js';
import { categoriesOf, encryptionRulesOf, type Registry } from '../../entities/registry.js';
import { encryptedLog } from '../../event-sourcing/encryption/encrypted-store.js';
import type { KeyControl } from '../../infrastructure/open-encryption.js';
import {
  configuredDatabase,
  configuredLog,
  type LogLocation,
  openDatabase,
  openKeys,
  openLog,
  type OpenLog,
} from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { printNote } from '../output.js';
import { runCommand } from '../run-command.js';
import { withOpened } from '../with-opened.js';
import { makePrintConnectionEvents } from './connection-events.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** A command that has to have a log finds none where it was told to look; one that fills a log makes it there, and a restore goes on. */
type Missing = 'fails' | 'is made' | 'is restored';

const optionsOf = (registry: Registry, missing: Missing) => ({
  runtime: systemRuntime,
  mustExist: missing === 'fails',
  isToBeRestored: missing === 'is restored',
  processKind: 'operator' as const,
  categories: categoriesOf(registry),
  onPostgresLog: printNote,
  onConnectionEvent: makePrintConnectionEvents(printNote),
});

/** Opens a log as it is stored for the time that `use` takes: its data may be encrypted. */
export const withLog = async (
  location: LogLocation,
  registry: Registry,
  use: (opened: OpenLog) => Promise<ExitCode>,
  missing: Missing = 'fails',
): Promise<ExitCode> => withOpened(await openLog(location, optionsOf(registry, missing)), use);

/** What a command works on: the log as it was written. */
type OpenedLog = OpenLog & {
  /** Where its data is encrypted: its keys. */
  readonly keyControl: KeyControl | undefined;
};

/** Opens what is encrypted in a log by its keys, which are in a database; `begins`: one that is filled has keys made. */
export const withKeys = async (
  config: Config,
  registry: Registry,
  opened: OpenLog,
  databaseUrl: string,
  use: (opened: OpenedLog) => Promise<ExitCode>,
  begins?: 'when it is filled',
): Promise<ExitCode> => {
  const opening = { runtime: systemRuntime, processKind: 'operator', rules: encryptionRulesOf(registry) } as const;
  const keys = await openKeys(config, opened.log, databaseUrl, opening, begins);
  return withOpened(keys, ({ encryption, keyControl }) =>
    use({ ...opened, log: encryption === undefined ? opened.log : encryptedLog(opened.log, encryption), keyControl }),
  );
};

/**
 * Opens the log of the service for the time that `use` takes, beside a running service or without it. `missing`: one that is to
 * be filled is made, and so are its keys, where its data is to be encrypted.
 */
export const withConfiguredLog = (
  config: Config,
  registry: Registry,
  use: (opened: OpenedLog) => Promise<ExitCode>,
  missing: 'fails' | 'is made' = 'fails',
): Promise<ExitCode> =>
  withLog(
    configuredLog(config),
    registry,
    async (opened) => {
      const begins = missing === 'is made' ? 'when it is filled' : undefined;
      const useWithKeys = (url: string) => withKeys(config, registry, opened, url, use, begins);
      if (opened.database !== undefined) return useWithKeys(opened.database.url);
      return config.erasure
        ? withOpened(await openDatabase(configuredDatabase(config), optionsOf(registry, missing)), ({ url }) =>
            useWithKeys(url),
          )
        : useWithKeys('');
    },
    missing,
  );

/** Runs a command on the log of the service. */
export const onConfiguredLog = (
  registry: Registry,
  work: (log: OpenLog['log'], signal: AbortSignal, config: Config) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) => withConfiguredLog(config, registry, ({ log }) => work(log, signal, config)));
