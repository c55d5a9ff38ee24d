import { configuredLog, type OpenLog } from '../../infrastructure/open-log.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { withLog } from './with-log.js';

/** Runs a command on the log of the service, beside a running one or without it. */
export const onConfiguredLog = (work: (log: OpenLog['log'], signal: AbortSignal) => Promise<ExitCode>): Promise<void> =>
  runCommand((config, signal) => withLog(configuredLog(config), ({ log }) => work(log, signal)));
