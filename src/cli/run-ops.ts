import { Command, CommanderError } from 'commander';
import type { Registry } from '../entities/registry.js';
import { EXIT } from './exit-code.js';
import { addLogCommands } from './log/commands.js';
import { addProjectionCommands } from './projections/commands.js';

const ABOUT = `
Settings are those of the service (docs/configuration.md): the commands work on the log and the databases that it works on.

Exit codes: 0 done, nothing wrong; 1 something wrong was found, or it could not be done; 2 the command line or the
configuration is not valid; 130 interrupted.`;

/** Runs the command of this process's arguments and sets the exit code. */
export const runOps = async (registry: Registry): Promise<void> => {
  const program = new Command('ops')
    .description("the operator's commands")
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(--help shows the commands and options)')
    .exitOverride();
  addLogCommands(program, registry);
  addProjectionCommands(program, registry);
  try {
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander has said what is wrong, or shown the help that was asked for
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
};
