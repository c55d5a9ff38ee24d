import { InvalidArgumentError, Option } from 'commander';

export type ReasonOption = { readonly reason: string };

/** `--reason`, which must be given, for commands that record a decision in the log; of at most so many characters. */
export const reasonOption = (longest = 255): Option =>
  new Option('--reason <text>', 'why; kept in the log')
    .argParser((text: string) => {
      if (text.trim() === '' || text.length > longest)
        throw new InvalidArgumentError(`Say why, in at most ${longest} characters.`);
      return text;
    })
    .makeOptionMandatory(true);
