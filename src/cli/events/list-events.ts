import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { makeFindChanges } from '../../entities/find-changes.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import { makeAddReads } from '../../infrastructure/postgres/access/add-reads.js';
import { makeReadModelQueries } from '../../infrastructure/postgres/read-models/make-read-model-queries.js';
import { CSV_HEADER, CSV_HEADER_WITH_DIFF, csvLine, csvLineWithDiff } from '../../read/ledger-csv.js';
import { withIndex } from '../../read/ledger-json.js';
import { type LedgerDiffs, makeLedgerDiffs, noDiffs } from '../../read/ledger-diffs.js';
import type { LedgerEntry, LedgerPageRequest, LedgerQueries } from '../../read/ledger.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, printNote, write } from '../output.js';
import { counted } from '../plural.js';
import { type ReadModels, withReadModels } from '../projections/with-read-models.js';
import { afterRecording } from '../reads/record-export.js';
import { runCommand } from '../run-command.js';
import { type EventOptions, filterOf, misfitOf, TABLE, withEventOptions } from './event-options.js';
import { followEvents } from './follow-events.js';
import { stateOfLedger } from './ledger-state.js';
import { tableHead, tableLine } from './event-table.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

const PAGE = 500;

/** Where standard output is no terminal, lines are not cut to its width. */
const WIDTH_OF_A_FILE = 160;

type Form = { readonly head: string; readonly line: (entry: LedgerEntry) => string };

const formOf = ({ json, csv, bom, diff }: EventOptions): Form => {
  if (json === true) return { head: '', line: (entry) => `${withIndex(entry)}\n` };
  if (csv === true) {
    const [header, line] = diff === true ? [CSV_HEADER_WITH_DIFF, csvLineWithDiff] : [CSV_HEADER, csvLine];
    return { head: `${bom === true ? '\ufeff' : ''}${header}`, line };
  }
  const columns = process.stdout.isTTY ? process.stdout.columns : WIDTH_OF_A_FILE;
  return { head: tableHead(columns), line: (entry) => tableLine(entry, columns) };
};

const limitOf = ({ limit, json, csv }: EventOptions): number =>
  limit ?? (json === true || csv === true ? Infinity : TABLE);

/** What was shown, and whether there is more of it. */
type Listed = { readonly count: number; readonly last: bigint | undefined; readonly hasMore: boolean };

/** Says what a table shows: a reader who sees a hundred lines may take them for all. */
const printSummary = ({ count, last, hasMore }: Listed): void => {
  const more = hasMore && last !== undefined ? `; there are more: --after ${last}` : '';
  printNote(count === 0 ? 'no event' : `${counted(count, 'event')}${more}`);
};

/** Writes page after page. */
const list = async (
  queries: LedgerQueries,
  { add }: LedgerDiffs,
  options: EventOptions,
  line: Form['line'],
  signal: AbortSignal,
) => {
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
    if (entries.length > 0 && !(await write((await add(entries)).map(line).join('')))) return EXIT.interrupted;
    after = entries.at(-1)?.index ?? after;
    count += entries.length;
    if (isLast || count >= most) {
      if (options.json !== true && options.csv !== true) printSummary({ count, last: after, hasMore: !isLast });
      return EXIT.ok;
    }
  }
  return EXIT.interrupted;
};

const diffsOf = ({ registry, store }: ReadModels, { diff, entity, order }: EventOptions): LedgerDiffs => {
  if (diff !== true || entity === undefined) return noDiffs;
  const direction = order === 'desc' ? 'backwards' : 'forwards';
  return makeLedgerDiffs(makeFindChanges(systemRuntime.clock, registry, store), {
    entity,
    direction,
    admitPage: () => Promise.resolve(true),
  });
};

const listOrFollow = async (
  queries: LedgerQueries,
  diffs: LedgerDiffs,
  options: EventOptions,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { head, line } = formOf(options);
  if (head !== '' && !(await write(head))) return EXIT.interrupted;
  if (options.follow !== true) return list(queries, diffs, options, line, signal);
  const show = (entries: ReadonlyArray<LedgerEntry>): Promise<boolean> => write(entries.map(line).join(''));
  return followEvents(
    { clock: systemRuntime.clock, queries, show },
    { filter: filterOf(options), after: options.after },
    signal,
  );
};

/** What is recorded of it, before it shows anything. */
const exportedBy = ({ reader, json, csv, follow, since, until, after, limit, order, ...options }: EventOptions) => {
  const { user, entityType, entity, name, field, ref, reason, value, diff } = options;
  const [from, to] = [since?.toISOString(), until?.toISOString()];
  const whole = json === true ? 'json' : csv === true ? 'csv' : 'table';
  return {
    ...{ user: reader, operation: 'ops events', form: follow === true ? 'feed' : whole },
    options: {
      ...{ user, entityType, entity, name, field, ref, reason, value, since: from, until: to },
      ...{ after: after?.toString(), limit: limit?.toString(), order: order === 'asc' ? undefined : order },
      diff: diff === true ? 'true' : undefined,
    },
  };
};

const events = async (
  readModels: ReadModels,
  config: Config,
  options: EventOptions,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const state = await stateOfLedger(readModels, signal);
  if (E.isLeft(state)) return failed(state.left);
  if (state.right !== undefined) printNote(state.right);
  const queries = makeReadModelQueries(systemRuntime.clock, { connectionString: readModels.databaseUrl });
  const diffs = diffsOf(readModels, options);
  try {
    const ledger = queries.ofLedger(ledgerOf(readModels.registry));
    return await afterRecording(config, makeAddReads(readModels.pool), exportedBy(options), () =>
      listOrFollow(ledger, diffs, options, signal),
    );
  } finally {
    await diffs.close();
    await queries.close();
  }
};

export const addEvents = (program: Command, registry: Registry): void => {
  const command = program
    .command('events')
    .description(
      'what happened to all records, in the order of the log: who did what, when, to which record\n' +
        '(every option that narrows must hold; times are RFC 3339)',
    );
  withEventOptions(command).action((options: EventOptions) => {
    const misfit = misfitOf(options);
    if (misfit !== undefined) command.error(`error: ${misfit}`);
    return runCommand((config, signal) =>
      withReadModels(config, registry, signal, (readModels) => events(readModels, config, options, signal)),
    );
  });
};
