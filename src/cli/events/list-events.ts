import { type Command, InvalidArgumentError, Option } from 'commander';
import { either as E } from 'fp-ts';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { makeReadModelQueries } from '../../infrastructure/postgres/read-models/make-read-model-queries.js';
import { CSV_HEADER, csvLine } from '../../read/ledger-csv.js';
import { withIndex } from '../../read/ledger-json.js';
import type { LedgerEntry, LedgerFilter, LedgerPageRequest, LedgerQueries } from '../../read/ledger.js';
import { readInstant } from '../../read/read-instant.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printNote, write } from '../output.js';
import { counted } from '../plural.js';
import { onReadModels } from '../projections/on-read-models.js';
import type { ReadModels } from '../projections/with-read-models.js';
import { followEvents } from './follow-events.js';
import { stateOfLedger } from './ledger-state.js';
import { tableHead, tableLine } from './event-table.js';

type Options = LedgerFilter &
  JsonOption & {
    readonly after?: bigint;
    readonly limit?: number;
    readonly order: 'asc' | 'desc';
    readonly csv?: true;
    readonly bom?: true;
    readonly follow?: true;
  };

/** Events of a table without a `--limit`: a person reads it. */
const TABLE = 100;

const PAGE = 500;

/** Where standard output is no terminal, lines are not cut to its width. */
const WIDTH_OF_A_FILE = 160;

type Form = { readonly head: string; readonly line: (entry: LedgerEntry) => string };

const formOf = ({ json, csv, bom }: Options): Form => {
  if (json === true) return { head: '', line: (entry) => `${withIndex(entry)}\n` };
  if (csv === true) return { head: `${bom === true ? '\ufeff' : ''}${CSV_HEADER}`, line: csvLine };
  const columns = process.stdout.isTTY ? process.stdout.columns : WIDTH_OF_A_FILE;
  return { head: tableHead(columns), line: (entry) => tableLine(entry, columns) };
};

const limitOf = ({ limit, json, csv }: Options): number => limit ?? (json === true || csv === true ? Infinity : TABLE);

/** What was shown, and whether there is more of it. */
type Listed = { readonly count: number; readonly last: bigint | undefined; readonly hasMore: boolean };

/** Says what a table shows: a reader who sees a hundred lines may take them for all. */
const printSummary = ({ count, last, hasMore }: Listed): void => {
  const more = hasMore && last !== undefined ? `; there are more: --after ${last}` : '';
  printNote(count === 0 ? 'no event' : `${counted(count, 'event')}${more}`);
};

const filterOf = ({ user, entityType, entity, name, field, ref, since, until }: Options): LedgerFilter => ({
  ...(user === undefined ? {} : { user }),
  ...(entityType === undefined ? {} : { entityType }),
  ...(entity === undefined ? {} : { entity }),
  ...(name === undefined ? {} : { name }),
  ...(field === undefined ? {} : { field }),
  ...(ref === undefined ? {} : { ref }),
  ...(since === undefined ? {} : { since }),
  ...(until === undefined ? {} : { until }),
});

/** Writes page after page. */
const list = async (queries: LedgerQueries, options: Options, line: Form['line'], signal: AbortSignal) => {
  const most = limitOf(options);
  const asked: Omit<LedgerPageRequest, 'limit' | 'after'> = {
    filter: filterOf(options),
    direction: options.order === 'desc' ? 'backwards' : 'forwards',
  };
  let after = options.after;
  let count = 0;
  while (!signal.aborted) {
    const page = await queries.page({ ...asked, after, limit: Math.min(PAGE, most - count) });
    if (E.isLeft(page)) throw page.left.cause;
    const { entries, isLast } = page.right;
    if (entries.length > 0 && !(await write(entries.map(line).join('')))) return EXIT.interrupted;
    after = entries.at(-1)?.index ?? after;
    count += entries.length;
    if (isLast || count >= most) {
      if (options.json !== true && options.csv !== true) printSummary({ count, last: after, hasMore: !isLast });
      return EXIT.ok;
    }
  }
  return EXIT.interrupted;
};

const listOrFollow = async (queries: LedgerQueries, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const { head, line } = formOf(options);
  if (head !== '' && !(await write(head))) return EXIT.interrupted;
  if (options.follow !== true) return list(queries, options, line, signal);
  const show = (entries: ReadonlyArray<LedgerEntry>): Promise<boolean> => write(entries.map(line).join(''));
  return followEvents({ queries, show }, { filter: filterOf(options), after: options.after }, signal);
};

const events = async (readModels: ReadModels, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const state = await stateOfLedger(readModels, signal);
  if (E.isLeft(state)) return failed(state.left);
  if (state.right !== undefined) printNote(state.right);
  const queries = makeReadModelQueries({ connectionString: readModels.databaseUrl });
  try {
    return await listOrFollow(queries.ofLedger(ledgerOf(readModels.registry)), options, signal);
  } finally {
    await queries.close();
  }
};

const instantArgument = (text: string): Date => {
  const instant = readInstant(text);
  if (instant === undefined) throw new InvalidArgumentError('Give a time as in 2026-11-23T09:00:00Z.');
  return instant;
};

const indexArgument = (text: string): bigint => {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An index is a whole number of at least 0.');
  return BigInt(text);
};

const limitArgument = (text: string): number => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('A limit is a whole number of at least 1.');
  return Number(text);
};

export const addEvents = (program: Command, registry: Registry): void => {
  program
    .command('events')
    .description(
      'what happened to all records, in the order of the log: who did what, when, to which record\n' +
        '(every option that narrows must hold; times are RFC 3339)',
    )
    .option('--user <user>', 'only what this user did')
    .option('--entity-type <type>', 'only what happened to records of this kind')
    .option('--entity <id>', 'only what happened to this record')
    .option('--name <name>', 'only events of this name, such as BusinessUpdated')
    .option('--field <field>', 'only events that gave this field a value, or changed it')
    .option('--ref <id>', 'only events that refer to this record')
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
    .option('--follow', 'then the events that come, until it is interrupted')
    .action((options: Options, command: Command) => {
      if (options.follow === true && options.order === 'desc')
        command.error("error: option '--follow' cannot be used with option '--order desc'");
      if (options.bom === true && options.csv !== true)
        command.error("error: option '--bom' can only be used with option '--csv'");
      return onReadModels(registry, (readModels, signal) => events(readModels, options, signal));
    });
};
