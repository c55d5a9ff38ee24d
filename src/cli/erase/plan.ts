import type { Command } from 'commander';
import {
  eventsToErase,
  findAttached,
  findEvents,
  type RecordToErase,
  type Subject,
} from '../../application/erasure/find-events.js';
import type { Registry } from '../../entities/registry.js';
import { isInClear } from '../../event-sourcing/encryption/at-rest.js';
import { type Held, heldStream, readErasureDecisions } from '../../event-sourcing/erasure/erasure-decisions.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { findReaders, type Reader } from '../../infrastructure/postgres/access/find-readers.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { sinceWhen } from '../hold/hold.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { recordOf } from '../reads/record-export.js';
import { type ErasableLog, onErasableLog } from './erasing.js';
import { nameOf, subjectArgument } from './subject.js';

/** What an erasure would reach of one record. */
type PlannedRecord = RecordToErase & {
  readonly count: number;
  /** Of these, events that were written before the log was encrypted: they cannot be erased. */
  readonly plain: number;
};

/** What an erasure of a subject would reach. Throws `StoreUnavailable`. */
export const planOf = async (
  { store, raw }: Pick<ErasableLog, 'store' | 'raw'>,
  subject: Subject,
): Promise<ReadonlyArray<PlannedRecord>> => {
  const planned: Array<PlannedRecord> = [];
  for (const record of await findEvents(store, subject)) {
    let [count, plain] = [0, 0];
    for await (const events of eventsToErase(raw, record)) {
      count += events.length;
      plain += events.filter(isInClear).length;
    }
    planned.push({ ...record, count, plain });
  }
  return planned;
};

/** The revisions of a record that are to be erased, as a text. */
export const revisionsOf = ({ events }: RecordToErase): string => {
  if (events === 'all') return 'all revisions';
  const ranges = events.map(([first, last]) => (first === last ? String(first) : `${first} to ${last}`));
  const isOne = events.length === 1 && events.every(([first, last]) => first === last);
  return `${isOne ? 'revision' : 'revisions'} ${ranges.join(', ')}`;
};

/** A line for each record. */
export const linesOf = (subject: Subject, planned: ReadonlyArray<PlannedRecord>): ReadonlyArray<string> => [
  `${nameOf(subject)}: ${counted(
    planned.reduce((sum, { count }) => sum + count, 0),
    'event',
  )} in ${counted(planned.length, 'record')}`,
  ...planned.map((record) => {
    const { stream, plain } = record;
    const why = plain === 0 ? '' : `; ${counted(plain, 'event')} from before the encryption, which cannot be erased`;
    return `  ${stream.replace('-', '/')}: ${revisionsOf(record)}${why}`;
  }),
];

/** Whoever has read most lately is asked first what has become of it. */
const MOST_READERS = 100;

/** What whoever decides about an erasure asks beside what it reaches. */
type Circumstances = {
  readonly held: ReadonlyArray<Held>;
  readonly readers: ReadonlyArray<Reader>;
  /** Documents that are attached to the user of whom it is: each is a subject of its own. */
  readonly attached: ReadonlyArray<StreamName>;
};

const circumstancesOf = async (
  { store, keys, pool, registry }: ErasableLog,
  subject: Subject,
  planned: ReadonlyArray<PlannedRecord>,
): Promise<Circumstances> => {
  const streams = new Set(planned.map(({ stream }) => stream));
  const { held } = await readErasureDecisions(store, keys);
  const records = [...streams].flatMap((stream) => recordOf(registry, stream) ?? []);
  return {
    held: held.filter((one) => streams.has(heldStream(one))),
    readers: await findReaders(pool, records, MOST_READERS),
    attached: await findAttached(store, subject),
  };
};

/** A line for each document that an erasure of its user leaves as it is. */
export const attachedLines = (attached: ReadonlyArray<StreamName>): ReadonlyArray<string> =>
  attached.map((stream) => `attached to this user, and erased by itself alone: ${stream.replace('-', '/')}`);

const linesAbout = ({ held, readers, attached }: Circumstances): ReadonlyArray<string> => [
  ...attachedLines(attached),
  ...held.map((one) => `held, so that it is not erased: ${heldStream(one).replace('-', '/')}, ${sinceWhen(one)}`),
  ...readers.map(({ user, reads, last }) => `read by ${user}: ${counted(reads, 'time')}, last ${last.toISOString()}`),
];

export const nothingFound = (subject: Subject): string =>
  subject.kind === 'owner'
    ? `no business says anything of ${nameOf(subject)} that could be erased`
    : `there is no ${nameOf(subject)}, or it is erased`;

const plan = async (log: ErasableLog, subject: Subject, options: JsonOption): Promise<ExitCode> => {
  const planned = await planOf(log, subject);
  const circumstances = await circumstancesOf(log, subject, planned);
  if (planned.length === 0 && circumstances.attached.length === 0) return failed(nothingFound(subject));
  const lines = [...linesOf(subject, planned), ...linesAbout(circumstances)];
  const events = planned.reduce((sum, { count }) => sum + count, 0);
  printFinding(options, lines, { subject: subject.kind, events, records: planned, ...circumstances });
  return EXIT.ok;
};

export const addPlan = (erase: Command, registry: Registry): void => {
  erase
    .command('plan')
    .argument('<subject>', 'business/ID, document/ID or owner/USER', subjectArgument)
    .description('shows what an erasure would reach, what of it is held, and who has read it; changes nothing')
    .addOption(
      jsonOption(
        'one JSON object: the records and their events, what is held, who has read them, and what is attached to the user',
      ),
    )
    .action((subject: Subject, options: JsonOption) => onErasableLog(registry, (log) => plan(log, subject, options)));
};
