import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { makeAddReads } from '../../infrastructure/postgres/access/add-reads.js';
import { makeFindReads } from '../../infrastructure/postgres/access/find-reads.js';
import type { AccessFilter, AccessPageRequest, RecordedRead } from '../../read/access/access-record.js';
import { readCsvLine, readJson, READS_CSV_HEADER } from '../../read/access/shown-read.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { type JsonOption, printNote, write } from '../output.js';
import { counted } from '../plural.js';
import type { ReadModels } from '../projections/with-read-models.js';
import type { ReaderOption } from '../user-option.js';
import { afterRecording, recordOf } from './record-export.js';
import { readLine } from './read-table.js';

export type ListOptions = JsonOption &
  ReaderOption & {
    readonly user?: string;
    readonly record?: StreamName;
    readonly since?: Date;
    readonly csv?: true;
  };

const PAGE = 500;

/** Rows of a table: a person reads it. */
const TABLE = 100;

const filterOf = ({ registry }: ReadModels, { user, record, since }: ListOptions): AccessFilter => ({
  ...(user === undefined ? {} : { user }),
  ...(record === undefined ? {} : recordOf(registry, record)),
  ...(since === undefined ? {} : { since }),
});

/** The newest rows, the oldest of them first. */
const listTable = async ({ pool }: ReadModels, filter: AccessFilter): Promise<ExitCode> => {
  const found = await makeFindReads(pool).page({ filter, after: undefined, direction: 'backwards', limit: TABLE });
  if (E.isLeft(found)) throw found.left.cause;
  const { reads, isLast } = found.right;
  if (!(await write(reads.toReversed().map(readLine).join('')))) return EXIT.interrupted;
  const more = isLast ? '' : '; there are older ones: --json or --csv has all';
  printNote(reads.length === 0 ? 'no read' : `${counted(reads.length, 'read')}${more}`);
  return EXIT.ok;
};

/** All rows, page after page, up to the newest at the beginning. */
const listAll = async (
  { pool }: ReadModels,
  filter: AccessFilter,
  line: (read: RecordedRead) => string,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const queries = makeFindReads(pool);
  const newest = await queries.newest();
  if (E.isLeft(newest)) throw newest.left.cause;
  const asked = { filter, direction: 'forwards', limit: PAGE, upTo: newest.right ?? 0n } as const;
  let after: AccessPageRequest['after'];
  while (!signal.aborted) {
    const page = await queries.page({ ...asked, after });
    if (E.isLeft(page)) throw page.left.cause;
    const { reads, isLast } = page.right;
    if (reads.length > 0 && !(await write(reads.map(line).join('')))) return EXIT.interrupted;
    if (isLast) return EXIT.ok;
    after = reads.at(-1)?.id;
  }
  return EXIT.interrupted;
};

const formOf = ({ json, csv }: ListOptions): 'json' | 'csv' | 'table' => {
  if (json === true) return 'json';
  return csv === true ? 'csv' : 'table';
};

/** `ops reads`, which is itself a read that is recorded. */
export const listReads = (
  readModels: ReadModels,
  config: Config,
  options: ListOptions,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const filter = filterOf(readModels, options);
  const form = formOf(options);
  const { reader, user, record, since } = options;
  const exported = {
    ...{ user: reader, operation: 'ops reads', form },
    options: { user, record, since: since?.toISOString() },
  };
  return afterRecording(config, makeAddReads(readModels.pool), exported, async () => {
    if (form === 'table') return listTable(readModels, filter);
    if (form === 'csv' && !(await write(READS_CSV_HEADER))) return EXIT.interrupted;
    return listAll(readModels, filter, form === 'csv' ? readCsvLine : (read) => `${readJson(read)}\n`, signal);
  });
};
