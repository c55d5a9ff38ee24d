import { type Command, InvalidArgumentError } from 'commander';
import { either as E } from 'fp-ts';
import type { EngineFailure } from '../../../projections/engine/engine-failure.js';
import { type Operations, operationsOn, type ReadModelOperations } from '../../../projections/engine/operations.js';
import type { Repaired } from '../../../projections/engine/verify/repair.js';
import type { Drift } from '../../../projections/engine/verify/find-drift.js';
import type { VerifiedRows } from '../../../projections/engine/verify/verify-rows.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { makeProgress } from '../progress.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding, printNote } from '../output.js';
import { counted, type Noun } from '../plural.js';
import { readModelArgument } from './projection-argument.js';
import { onReadModels } from './on-read-models.js';
import { verifyLedgerRows } from './verify-ledger.js';
import type { ReadModels } from './with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & {
  readonly sample?: number;
  readonly repair?: true;
  readonly acceptShorterHistory?: true;
};

/** The read model with a row for each event. */
const LEDGER = 'ledger';

const ENTITY: Noun = ['entity', 'entities'];

type Verified = VerifiedRows & { readonly repaired: number; readonly ahead: number };

const sampleArgument = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('A sample is a number of rows, from 1.');
  return Number(text);
};

const FAULT = { differs: 'differs in', missing: 'has no row', surplus: 'has a row and no stream' } as const;

const faultOf = (drift: Drift): string => {
  if (drift.kind !== 'ahead')
    return [FAULT[drift.kind], drift.fields.join(', ')].filter((part) => part !== '').join(' ');
  const { shown, newest } = drift;
  const end = newest === 'no-stream' ? 'has no event of it' : `ends at revision ${newest}`;
  return `is shorter than its row: the row shows revision ${shown}, the log ${end}. Events were removed from the log`;
};

const outcomeOf = (drift: Drift, repaired: Repaired): string => {
  switch (repaired._tag) {
    case 'Projected':
      return drift.kind === 'ahead' ? 'the row shows the shorter history now' : 'repaired';
    case 'Parked':
      return `parked, ${repaired.reason}`;
    case 'Ahead':
      return 'not repaired, because the row is the last trace of them (--accept-shorter-history)';
  }
};

const driftLine = (name: string, drift: Drift, repaired: Repaired | undefined): string => {
  const fault = `${name}: ${drift.stream} ${faultOf(drift)}`;
  return repaired === undefined ? fault : `${fault}: ${outcomeOf(drift, repaired)}`;
};

const revisionsOf = (drift: Drift) =>
  drift.kind === 'ahead'
    ? { shown: Number(drift.shown), newest: drift.newest === 'no-stream' ? null : Number(drift.newest) }
    : {};

const reportDrift = (projection: string, drift: Drift, repaired: Repaired | undefined, options: Options): void => {
  const { stream, id, kind, fields } = drift;
  const outcome = repaired === undefined ? {} : { outcome: repaired._tag };
  const found = { projection, stream, id, kind, fields, ...revisionsOf(drift), ...outcome };
  printFinding(options, driftLine(projection, drift, repaired), found);
};

const reportCounts = (projection: string, { checked, drifted, ahead, repaired }: Verified, options: Options): void => {
  const cut = ahead === 0 ? '' : `, ${ahead} with a history that is shorter than the row`;
  const found = drifted === 0 ? 'none differs from its stream' : `${drifted} drifted, ${repaired} repaired${cut}`;
  const text = `${projection}: ${counted(checked, ...ENTITY)} compared, ${found}`;
  printFinding(options, text, { projection, checked, drifted, ahead, repaired });
};

const verifyOne = async (
  readModel: ReadModelOperations,
  options: Options,
  signal: AbortSignal,
): Promise<E.Either<EngineFailure, Verified>> => {
  const { name } = readModel;
  const progress = makeProgress(`verifying ${name}`, ENTITY);
  const acceptsShorterHistory = options.acceptShorterHistory === true;
  let repaired = 0;
  let ahead = 0;
  let failure: EngineFailure | undefined;
  const ending = new AbortController();
  const verified = await readModel.verify({
    sample: options.sample,
    onChecked: (checked) => progress.report(checked, undefined),
    onDrift: async (drift) => {
      const outcome =
        options.repair === true ? await readModel.repair(drift.stream, { acceptsShorterHistory }) : undefined;
      if (outcome !== undefined && E.isLeft(outcome)) {
        failure = outcome.left;
        ending.abort();
        return;
      }
      if (drift.kind === 'ahead') ahead += 1;
      if (outcome !== undefined && outcome.right._tag !== 'Ahead') repaired += 1;
      progress.end();
      reportDrift(name, drift, outcome?.right, options);
    },
    signal: AbortSignal.any([signal, ending.signal]),
  });
  progress.end();
  if (failure !== undefined) return E.left(failure);
  return E.map((counts: VerifiedRows) => ({ ...counts, repaired, ahead }))(verified);
};

const verifyEntities = async (
  { readModels }: Operations,
  wanted: string | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  let left = 0;
  for (const readModel of readModels.filter(({ name }) => wanted === undefined || name === wanted)) {
    const verified = await verifyOne(readModel, options, signal);
    if (E.isLeft(verified)) return failed(verified.left.message);
    const { checked, drifted, repaired, isComplete } = verified.right;
    if (!isComplete) return interrupted(`${counted(checked, ...ENTITY)} of ${readModel.name}`);
    left += drifted - repaired;
    reportCounts(readModel.name, verified.right, options);
  }
  return left === 0 ? EXIT.ok : EXIT.failed;
};

const verifyLedger = async (opened: ReadModels, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const verified = await verifyLedgerRows(opened, options, signal);
  if (E.isLeft(verified)) return failed(verified.left.message);
  if (verified.right === undefined) return interrupted(`a part of the ${LEDGER}`);
  return verified.right.drifted === 0 ? EXIT.ok : EXIT.failed;
};

/** What the options ask for that cannot be; undefined: nothing. */
const misuse = (wanted: string | undefined, { sample, repair, acceptShorterHistory }: Options): string | undefined => {
  if (acceptShorterHistory === true && repair !== true)
    return '--accept-shorter-history says what --repair may do: give both';
  if (wanted === LEDGER && (repair === true || sample !== undefined))
    return `the ${LEDGER} is compared as a whole, and mended by ops projections rebuild ${LEDGER} --switch always: leave out --repair and --sample`;
  return undefined;
};

const verifyAll = async (
  opened: ReadModels,
  wanted: string | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const wrong = misuse(wanted, options);
  if (wrong !== undefined) {
    printNote(wrong);
    return EXIT.usage;
  }
  const { store, storage, registry, eventKeys } = opened;
  if (wanted === LEDGER) return verifyLedger(opened, options, signal);
  const operations = await operationsOn(systemRuntime, store, storage, projectionsOf(registry), eventKeys[0]);
  if (E.isLeft(operations)) return failed(operations.left.message);
  const ofEntities = await verifyEntities(operations.right, wanted, options, signal);
  const isAllAsked = wanted === undefined && options.sample === undefined;
  if (!isAllAsked || signal.aborted) return ofEntities;
  const ofLedger = await verifyLedger(opened, options, signal);
  return ofLedger === EXIT.ok ? ofEntities : ofLedger;
};

export const addVerifyRows = (projections: Command, registry: Registry): void => {
  projections
    .command('verify')
    .addArgument(readModelArgument(registry))
    .description(
      'computes rows anew from the log and compares them with the live rows, field by field\n' +
        '(each up to the checkpoint at which its row was read: a row that is behind the log is not different for that);\n' +
        'the ledger is compared event by event, and with the tiles of its tree',
    )
    .option(
      '--sample <n>',
      'only so many rows, chosen at random; without it all rows, entities without a row, and the ledger',
      sampleArgument,
    )
    .option('--repair', 'compute rows that differ anew from their streams; the service may keep running')
    .option(
      '--accept-shorter-history',
      'with --repair: also rows that show more events than their streams. They are the last trace of events that were ' +
        'removed from the log; without this they are only named',
    )
    .addOption(jsonOption('one JSON object a line: each drifted row, then the counts of each read model'))
    .action((name: string | undefined, options: Options) =>
      onReadModels(registry, (opened, signal) => verifyAll(opened, name, options, signal)),
    );
};
