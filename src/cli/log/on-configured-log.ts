import type { Registry } from '../../entities/registry.js';
import { configuredLog, type OpenLog } from '../../infrastructure/open-stores.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { withLog } from './with-log.js';

/** Runs a command on the log of the service, beside a running one or without it. */
export const onConfiguredLog = (
  registry: Registry,
  work: (log: OpenLog['log'], signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) => withLog(configuredLog(config), registry, ({ log }) => work(log, signal)));
