import { type Command, InvalidArgumentError, Option } from 'commander';
import type { LedgerFilter } from '../../read/ledger.js';
import { wordsOf } from '../../read/words.js';
import { instantArgument } from '../instant-argument.js';
import { type JsonOption, jsonOption } from '../output.js';
import { type ReaderOption, readerOption } from '../user-option.js';

export type EventOptions = LedgerFilter &
  JsonOption &
  ReaderOption & {
    readonly diff?: true;
    readonly after?: bigint;
    readonly limit?: number;
    readonly order: 'asc' | 'desc';
    readonly csv?: true;
    readonly bom?: true;
    readonly follow?: true;
  };

/** Events of a table without a `--limit`: a person reads it. */
export const TABLE = 100;

export const filterOf = ({
  user,
  entityType,
  entity,
  name,
  field,
  ref,
  reason,
  value,
  since,
  until,
}: EventOptions): LedgerFilter => ({
  ...(user === undefined ? {} : { user }),
  ...(entityType === undefined ? {} : { entityType }),
  ...(entity === undefined ? {} : { entity }),
  ...(name === undefined ? {} : { name }),
  ...(field === undefined ? {} : { field }),
  ...(ref === undefined ? {} : { ref }),
  ...(reason === undefined ? {} : { reason }),
  ...(value === undefined ? {} : { value }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
});

const indexArgument = (text: string): bigint => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An index is a whole number of at least 0.');
  return BigInt(text);
};

const wordsArgument = (text: string): ReadonlyArray<string> => {
  const words = [...wordsOf([text])];
  if (words.length === 0) throw new InvalidArgumentError('Give words, of letters or digits.');
  return words;
};

const limitArgument = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A limit is a whole number of at least 1.');
  return Number(text);
};

/** Adds the options to a command, in the order in which its help lists them. */
export const withEventOptions = (command: Command): Command =>
  command
    .option('--user <user>', 'only what this user did')
    .option('--entity-type <type>', 'only what happened to records of this kind')
    .option('--entity <id>', 'only what happened to this record')
    .option('--name <name>', 'only events of this name, such as BusinessUpdated')
    .option('--field <field>', 'only events that gave this field a value, or changed it')
    .option('--ref <id>', 'only events that refer to this record')
    .option('--reason <words>', 'only events whose reason has all these words', wordsArgument)
    .option('--value <text>', 'with --entity: only events whose data has this value')
    .option('--since <time>', 'only events of this time or later', instantArgument)
    .addOption(
      new Option('--until <time>', 'only events before this time').argParser(instantArgument).conflicts('follow'),
    )
    .option('--after <index>', 'begin behind this event; with --order desc, before it', indexArgument)
    .addOption(
      new Option('--limit <count>', `at most so many; default: ${TABLE} in a table, else all`)
        .argParser(limitArgument)
        .conflicts('follow'),
    )
    .addOption(new Option('--order <order>', 'oldest or newest first').choices(['asc', 'desc']).default('asc'))
    .addOption(jsonOption('one JSON object a line: each event, as the API shows it').conflicts('csv'))
    .option('--csv', 'a table of comma-separated values, as the API gives it')
    .option('--bom', 'with --csv: begin with a byte order mark, by which spreadsheets know UTF-8')
    .addOption(new Option('--diff', 'with --entity and --json or --csv: what each event changed').conflicts('follow'))
    .option('--follow', 'then the events that come, until it is interrupted')
    .addOption(readerOption());

/** What is wrong with options together; undefined where nothing is. */
export const misfitOf = ({ follow, order, bom, csv, json, diff, value, entity }: EventOptions): string | undefined => {
  if (follow === true && order === 'desc') return "option '--follow' cannot be used with option '--order desc'";
  if (bom === true && csv !== true) return "option '--bom' can only be used with option '--csv'";
  if (value !== undefined && entity === undefined) return "option '--value' can only be used with option '--entity'";
  if (diff !== true) return undefined;
  if (entity === undefined) return "option '--diff' can only be used with option '--entity'";
  return json === true || csv === true ? undefined : "option '--diff' can only be used with option '--json' or '--csv'";
};
