import { Command } from 'commander';
import type { Registry } from '../entities/registry.js';
import { programVersion } from '../infrastructure/program-version.js';
import { type Commands, groups, ungrouped } from './commands.js';
import { runProgram } from './run-program.js';

const ABOUT = `
Settings are those of the service (docs/configuration.md): the commands work on the log and the databases that it works on.

Exit codes: 0 done, nothing wrong; 1 something wrong was found, or it could not be done; 2 the command line or the
configuration is not valid; 130 interrupted; 141 the reader of standard output has gone.`;

type LoadRegistry = () => Promise<Registry>;

/** Adds the command of this name, or all of them where there is none: commander then lists them, or says what is wrong. */
const addTo = async (to: Command, commands: Commands, name: string | undefined, load: LoadRegistry): Promise<void> => {
  const named = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  const registry = await load();
  for (const command of named === undefined ? Object.values(commands) : [named]) (await command())(to, registry);
};

/** Shows the help of the command that `names` lead to. */
const showHelp = (program: Command, names: ReadonlyArray<string>): void => {
  let command = program;
  for (const name of names) {
    const next = command.commands.find((each) => each.name() === name);
    if (next === undefined) return program.error(`error: unknown command '${names.join(' ')}'`);
    command = next;
  }
  command.outputHelp();
};

const addHelp = (program: Command): void => {
  program
    .command('help')
    .argument('[command...]', 'for example: log verify')
    .description('shows the help of a command')
    .action((names: ReadonlyArray<string>) => showHelp(program, names));
};

const makeProgram = async (args: ReadonlyArray<string>, load: LoadRegistry): Promise<Command> => {
  const program = new Command('ops')
    .description("the operator's commands")
    .version(programVersion(), '-V, --version', 'prints the version of this program')
    .helpCommand(false)
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(--help shows the commands and options)')
    .exitOverride();
  const words = args.filter((argument) => !argument.startsWith('-'));
  const [first, second] = words[0] === 'help' ? words.slice(1) : words;
  for (const [name, { description, commands }] of Object.entries(groups)) {
    const group = program.command(name).description(description).helpCommand(false);
    if (name === first) await addTo(group, commands, second, load);
  }
  const isVersionAsked = words.length === 0 && (args.includes('--version') || args.includes('-V'));
  const isInGroup = first !== undefined && Object.hasOwn(groups, first);
  if (!isVersionAsked && !isInGroup) await addTo(program, ungrouped, first, load);
  addHelp(program);
  return program;
};

/** Runs the command of this process's arguments and sets the exit code. The registry is loaded when a command needs it. */
export const runOps = (load: LoadRegistry): Promise<void> => runProgram(() => makeProgram(process.argv.slice(2), load));
