import { type Command, CommanderError } from 'commander';
import { EXIT } from './exit-code.js';
import { watchOutput } from './lost-output.js';

/** Runs a program with the arguments of this process, and sets the exit code where its output or the command line fails. */
export const runProgram = async (makeProgram: () => Command | Promise<Command>): Promise<void> => {
  watchOutput();
  try {
    const program = await makeProgram();
    await program.parseAsync();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // commander has said what is wrong, or shown the help that was asked for
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
};
