import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { categoriesOf, type Registry } from '../../entities/registry.js';
import { configuredLog, type LogLocation, openLog, type OpenLog } from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { failed, printNote } from '../output.js';
import { runCommand } from '../run-command.js';
import { makePrintConnectionEvents } from './connection-events.js';

/** Opens a log for the time that `use` takes. */
export const withLog = async (
  location: LogLocation,
  registry: Registry,
  use: (opened: OpenLog) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const opened = await openLog(location, {
    processKind: 'operator',
    categories: categoriesOf(registry),
    onPostgresLog: printNote,
    onConnectionEvent: makePrintConnectionEvents(printNote),
  });
  if (E.isLeft(opened)) return failed(opened.left.message);
  try {
    return await use(opened.right);
  } finally {
    await opened.right.close();
  }
};

/** Runs a command on the log of the service, beside a running one or without it. */
export const onConfiguredLog = (
  registry: Registry,
  work: (log: OpenLog['log'], signal: AbortSignal, config: Config) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) => withLog(configuredLog(config), registry, ({ log }) => work(log, signal, config)));
