import type { Command, Option } from 'commander';

/** A word that may come next, with the first line of its description. */
type Offer = { readonly word: string; readonly description: string };

type OfferedOption = Offer & {
  readonly takesValue: boolean;
  /** The values that it takes; none: any. */
  readonly choices: ReadonlyArray<string>;
};

/** What may be written behind the names of a command. */
export type Place = {
  /** The names that lead here, such as `log verify`; empty: the program itself. */
  readonly path: string;
  readonly commands: ReadonlyArray<Offer>;
  /** The values that its arguments take. */
  readonly choices: ReadonlyArray<string>;
  /** Whether one of its arguments takes any value, which is completed as the name of a file. */
  readonly takesAny: boolean;
  readonly options: ReadonlyArray<OfferedOption>;
};

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** Without its default, which may name who is asking. */
const toOffered = (option: Option): OfferedOption => ({
  word: option.long ?? option.flags,
  description: firstLine(option.description),
  takesValue: option.required || option.optional,
  choices: option.argChoices ?? [],
});

const placesFrom = (command: Command, path: string): ReadonlyArray<Place> => {
  const help = command.createHelp();
  const below = help.visibleCommands(command);
  const choices = command.registeredArguments.map(({ argChoices }) => argChoices);
  const place: Place = {
    path,
    commands: below.map((each) => ({ word: each.name(), description: firstLine(each.description()) })),
    choices: choices.flatMap((each) => each ?? []),
    takesAny: choices.includes(undefined),
    options: help.visibleOptions(command).map(toOffered),
  };
  return [place, ...below.flatMap((each) => placesFrom(each, `${path} ${each.name()}`.trim()))];
};

/** Every place of a program, of which all commands are loaded. Behind `help` come the names of commands. */
export const placesOf = (program: Command): ReadonlyArray<Place> => {
  const places = placesFrom(program, '').filter(({ path }) => path !== 'help');
  const behindHelp = places.map(({ path, commands }) => ({
    path: `help ${path}`.trim(),
    commands,
    choices: [],
    takesAny: false,
    options: [],
  }));
  return [...places, ...behindHelp];
};
