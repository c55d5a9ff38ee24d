import type { Config } from '../../config.js';
import { categoriesOf, type Registry } from '../../entities/registry.js';
import { configuredLog, type LogLocation, openLog, type OpenLog } from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { printNote } from '../output.js';
import { runCommand } from '../run-command.js';
import { withOpened } from '../with-opened.js';
import { makePrintConnectionEvents } from './connection-events.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** A command that has to have a log finds none where it was told to look; one that fills a log makes it there, and a restore goes on. */
type Missing = 'fails' | 'is made' | 'is restored';

/** Opens a log for the time that `use` takes. */
export const withLog = async (
  location: LogLocation,
  registry: Registry,
  use: (opened: OpenLog) => Promise<ExitCode>,
  missing: Missing = 'fails',
): Promise<ExitCode> => {
  const opened = await openLog(location, {
    runtime: systemRuntime,
    mustExist: missing === 'fails',
    isToBeRestored: missing === 'is restored',
    processKind: 'operator',
    categories: categoriesOf(registry),
    onPostgresLog: printNote,
    onConnectionEvent: makePrintConnectionEvents(printNote),
  });
  return withOpened(opened, use);
};

/** Opens the log of the service for the time that `use` takes, beside a running service or without it. */
export const withConfiguredLog = (
  config: Config,
  registry: Registry,
  use: (opened: OpenLog) => Promise<ExitCode>,
  missing?: Missing,
): Promise<ExitCode> => withLog(configuredLog(config), registry, use, missing);

/** Runs a command on the log of the service. */
export const onConfiguredLog = (
  registry: Registry,
  work: (log: OpenLog['log'], signal: AbortSignal, config: Config) => Promise<ExitCode>,
  missing?: Missing,
): Promise<void> =>
  runCommand((config, signal) => withConfiguredLog(config, registry, ({ log }) => work(log, signal, config), missing));
