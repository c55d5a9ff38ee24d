import { InvalidArgumentError, type Command } from 'commander';
import {
  endErasure,
  erase,
  type ErasePorts,
  type Finished,
  finishErasures,
  type Left,
  RecordIsHeld,
  type Step,
} from '../../application/erasure/erase.js';
import {
  findAttached,
  findErased,
  findEvents,
  isReadable,
  type RecordToErase,
  type Subject,
} from '../../application/erasure/find-events.js';
import type { Registry } from '../../entities/registry.js';
import { ask } from '../ask.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted } from '../plural.js';
import { type UserOption, userOption } from '../user-option.js';
import { type ErasableLog, onErasingLog, withErasePorts } from './erasing.js';
import { attachedLines, linesOf, nothingFound, planOf, revisionsOf } from './plan.js';
import { nameOf, subjectArgument } from './subject.js';

type Options = JsonOption & UserOption & { readonly basis: string; readonly yes?: true };

const MOST_CHARACTERS = 255;

const basisArgument = (text: string): string => {
  if (text.trim() === '' || text.length > MOST_CHARACTERS)
    throw new InvalidArgumentError(`Give a text of at most ${MOST_CHARACTERS} characters.`);
  return text;
};

const textOf = (step: Step): string => {
  switch (step._tag) {
    case 'Begun':
      return `recorded that the erasure of ${counted(step.records, 'record')} begins`;
    case 'Destroyed':
      return `destroyed the keys of ${counted(step.events, 'event')}`;
    case 'Recorded':
      return `${step.stream.replace('-', '/')}: recorded`;
    case 'FilesRemoved':
      return `${step.stream.replace('-', '/')}: files removed`;
    case 'RowsWritten':
      return `wrote the rows of ${counted(step.events, 'event')} anew`;
  }
};

/** What was written of a subject while the erasure was at work: its keys are others than those that were destroyed. */
const writtenMeanwhile = async ({ store }: ErasableLog, subject: Subject): Promise<ReadonlyArray<Left>> => {
  const left: Array<Left> = [];
  for (const record of await findEvents(store, subject)) {
    // a record of which nothing is to be read may not say yet that it is erased
    if (!(await isReadable(store, record))) continue;
    const why = 'it was written while the erasure was at work: give the same command again';
    left.push({ where: 'log', what: `${record.stream}, ${revisionsOf(record)}`, why });
  }
  return left;
};

const conclude = async (
  log: ErasableLog,
  done: ReadonlyArray<Left>,
  subject: Subject,
  options: Options,
): Promise<ExitCode> => {
  const left = [...done, ...(await writtenMeanwhile(log, subject))];
  const lines =
    left.length === 0
      ? `${nameOf(subject)}: erased, and nothing of it found any more`
      : ['left all the same:', ...left.map(({ where, what, why }) => `  ${where}: ${what}: ${why}`)];
  printFinding(options, lines, { subject: subject.kind, left, isComplete: left.length === 0 });
  return left.length === 0 ? EXIT.ok : EXIT.failed;
};

/** Whether an erasure of this record may have been one of the subject: of an owner nobody can tell any more. */
const isOf = (subject: Subject, { stream, events }: RecordToErase): boolean =>
  subject.kind === 'owner' ? events !== 'all' : stream === `${subject.kind}-${subject.id}`;

/** Nothing is to be read any more of a subject: whatever an earlier run of the same command, or one beside it, has not done is done. */
const goOn = async (
  ports: ErasePorts,
  log: ErasableLog,
  subject: Subject,
  before: Finished,
  options: Options,
): Promise<ExitCode> => {
  // one that began after the first look is ended here, too; what could not be ended then cannot be a moment later
  const beside = before.left.length > 0 ? { records: [], left: [] } : await finishErasures(ports);
  const left = [...before.left, ...beside.left];
  if ([...before.records, ...beside.records].some((record) => isOf(subject, record)))
    return conclude(log, left, subject, options);
  const erased = subject.kind === 'owner' ? [] : await findErased(log.store, `${subject.kind}-${subject.id}`);
  left.push(...(await endErasure(ports, erased)));
  return left.length === 0 && erased.length === 0
    ? failed(nothingFound(subject))
    : conclude(log, left, subject, options);
};

const run = async (log: ErasableLog, subject: Subject, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const done = new Set<Step['_tag']>();
  const say = (step: Step): void => {
    done.add(step._tag);
    if (options.json !== true) printNote(textOf(step));
  };
  const work = async (ports: ErasePorts): Promise<ExitCode> => {
    // what was cut off is ended first: it is recorded already, and of whom it was is perhaps not to be read any more
    const before = await finishErasures(ports);
    const planned = await planOf(log, subject);
    if (planned.length === 0) return goOn(ports, log, subject, before, options);
    const attached = await findAttached(log.store, subject);
    for (const line of [...linesOf(subject, planned), ...attachedLines(attached)]) printNote(line);
    if (planned.some(({ plain }) => plain > 0))
      return failed('not erased: what was written before ERASURE was on would stay readable in the log');
    const canAsk = process.stdin.isTTY && process.stderr.isTTY;
    if (options.yes !== true && !canAsk) return failed('not erased: --yes is needed where nobody can be asked');
    if (options.yes !== true && !(await ask('erase this for ever?', signal))) return failed('not erased');
    const records = planned.map(({ stream, events }) => ({ stream, events }));
    try {
      const left = await erase(ports, records, { actor: options.user, basis: options.basis });
      return await conclude(log, [...before.left, ...left], subject, options);
    } catch (error) {
      if (error instanceof RecordIsHeld) return failed(`not erased: ${error.message}`);
      throw error;
    }
  };
  try {
    return await withErasePorts(log, say, work);
  } catch (error) {
    if (done.size > 0) printNote('the erasure was cut off: give the same command again');
    throw error;
  }
};

export const addRun = (to: Command, registry: Registry): void => {
  to.command('run')
    .argument('<subject>', 'business/ID, document/ID or owner/USER', subjectArgument)
    .description(
      'erases for ever what the log, the files and the read models have of a record, or of a user as an owner of businesses:\n' +
        'destroys the keys of its data, removes its files, records it in its history, and looks what is left. The same\n' +
        'command goes on where it was cut off. The service may run',
    )
    .requiredOption(
      '--basis <text>',
      'on what basis: an article, a ticket. Never a name: it is kept for ever, in clear',
      basisArgument,
    )
    .option('--yes', 'do not ask')
    .addOption(userOption('who erases; kept in the log'))
    .addOption(jsonOption('one JSON object: what is left'))
    .action((subject: Subject, options: Options) =>
      onErasingLog(registry, (log, signal) => run(log, subject, options, signal)),
    );
};
