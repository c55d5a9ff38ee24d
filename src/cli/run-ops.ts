import { Argument, Command } from 'commander';
import type { Registry } from '../entities/registry.js';
import { programVersion } from '../infrastructure/program-version.js';
import { type Commands, groups, ungrouped } from './commands.js';
import type { Shell } from './completion/script.js';
import { print, withoutPasswords } from './output.js';
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

/** Adds the command that prints the completion of all commands, as this program has them. */
const addCompletion = (program: Command, load: LoadRegistry): void => {
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .description('prints a script by which a shell completes the commands and their options')
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./completion/script.js');
      const { placesOf } = await import('./completion/places.js');
      print(completionScript(shell, placesOf(await makeProgram('all', load))));
    });
};

/** The program with the commands that these arguments ask for, or with all of them. */
const makeProgram = async (args: ReadonlyArray<string> | 'all', load: LoadRegistry): Promise<Command> => {
  const program = new Command('ops')
    .description("the operator's commands")
    .version(programVersion(), '-V, --version', 'prints the version of this program')
    .helpCommand(false)
    .addHelpText('after', ABOUT)
    .showHelpAfterError('(--help shows the commands and options)')
    .configureOutput({ outputError: (message, write) => write(withoutPasswords(message)) })
    .exitOverride();
  const given = args === 'all' ? [] : args;
  const words = given.filter((argument) => !argument.startsWith('-'));
  const [first, second] = words[0] === 'help' ? words.slice(1) : words;
  for (const [name, { description, commands }] of Object.entries(groups)) {
    const group = program.command(name).description(description).helpCommand(false);
    if (args === 'all' || name === first) await addTo(group, commands, second, load);
  }
  const isVersionAsked = words.length === 0 && (given.includes('--version') || given.includes('-V'));
  const isInGroup = first !== undefined && Object.hasOwn(groups, first);
  if (!isVersionAsked && !isInGroup) await addTo(program, ungrouped, first, load);
  addCompletion(program, load);
  addHelp(program);
  return program;
};

/** Runs the command of this process's arguments and sets the exit code. The registry is loaded when a command needs it. */
export const runOps = (load: LoadRegistry): Promise<void> => runProgram(() => makeProgram(process.argv.slice(2), load));
