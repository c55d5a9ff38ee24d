import { either as E } from 'fp-ts';
import { ErasureCutOff } from '../application/erasure/erase.js';
import { type Config, loadConfig } from '../config.js';
import { CheckpointNotInLog, StoreUnavailable } from '../event-sourcing/event-store.js';
import { UnreadableDecision } from '../event-sourcing/operators/unreadable-decision.js';
import { NotExportable } from '../event-sourcing/whole-log/export-log.js';
import { UnusableDirectory } from '../infrastructure/disk/usable-directory.js';
import { saidElsewhere } from '../infrastructure/embedded/relocated-data.js';
import { configuredDatabase } from '../infrastructure/open-stores.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { messageOf } from './message-of.js';
import { printNote } from './output.js';

/** What an operator's command does; `signal` aborts when it is asked to end. */
type Work = (config: Config, signal: AbortSignal) => Promise<ExitCode>;

/** An error of the operating system: a missing file, a full disk, a missing permission. */
const isSystemError = (error: unknown): error is Error => error instanceof Error && 'syscall' in error;

const isExpected = (error: unknown): error is Error =>
  error instanceof StoreUnavailable ||
  error instanceof CheckpointNotInLog ||
  error instanceof UnreadableDecision ||
  error instanceof NotExportable ||
  error instanceof UnusableDirectory ||
  error instanceof ErasureCutOff ||
  isSystemError(error);

/**
 * Aborts at the first signal, or when standard output is lost, so that the command can end in order. A second signal
 * ends the process.
 */
const interruption = (): AbortSignal => {
  const interrupted = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.on(name, () => {
      if (interrupted.signal.aborted) process.exit(EXIT.interrupted);
      interrupted.abort();
    });
  process.stdout.on('error', () => interrupted.abort());
  return interrupted.signal;
};

/** What is to be said of an embedded database that is not in DATA_DIR. */
const elsewhereOf = async (config: Config): Promise<string | undefined> =>
  configuredDatabase(config)._tag === 'Embedded'
    ? // a directory that cannot be read is a matter of the command, where it needs it
      saidElsewhere(config.dataDir).catch(() => undefined)
    : undefined;

/** Says it to a person at a terminal; where the command itself makes the database, also to a script. */
const sayingElsewhere = async (config: Config, work: () => Promise<ExitCode>): Promise<ExitCode> => {
  const found = await elsewhereOf(config);
  if (found !== undefined && process.stderr.isTTY) printNote(found);
  try {
    return await work();
  } finally {
    const made = found === undefined ? await elsewhereOf(config) : undefined;
    if (made !== undefined) printNote(made);
  }
};

/** Runs a command with the configuration of this process and sets the exit code. */
export const runCommand = async (work: Work): Promise<void> => {
  const config = loadConfig();
  if (E.isLeft(config)) {
    printNote(`The configuration is not valid:\n${config.left.map((fault) => `  ${fault}`).join('\n')}`);
    process.exitCode = EXIT.usage;
    return;
  }
  try {
    process.exitCode = await sayingElsewhere(config.right, () => work(config.right, interruption()));
  } catch (error) {
    if (!isExpected(error)) throw error;
    printNote(messageOf(error));
    process.exitCode = EXIT.failed;
  }
};
