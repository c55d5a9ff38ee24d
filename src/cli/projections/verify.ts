import { type Command, InvalidArgumentError } from 'commander';
import type { Operations, ReadModelOperations } from '../../../projections/engine/operations.js';
import type { Refolded } from '../../../projections/engine/refold.js';
import type { Drift } from '../../../projections/engine/verify/find-drift.js';
import type { VerifiedRows } from '../../../projections/engine/verify/verify-rows.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { makeProgress } from '../progress.js';
import { type JsonOption, jsonOption, printFinding } from '../output.js';
import { tell } from '../run-command.js';
import { standardError } from '../terminal.js';
import { projectionArgument, type ProjectionName } from './projection-argument.js';
import { onEntities } from './on-read-models.js';

type Options = JsonOption & { readonly sample?: number; readonly repair?: true };

type Verified = VerifiedRows & { readonly repaired: number };

const sampleArgument = (text: string): number => {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('A sample is a number of rows, from 1.');
  return Number(text);
};

const FAULT = { differs: 'differs in', missing: 'has no row', surplus: 'has a row and no stream' } as const;

const driftLine = (name: string, { stream, kind, fields }: Drift, refolded: Refolded | undefined): string => {
  const fault = [FAULT[kind], fields.join(', ')].filter((part) => part !== '').join(' ');
  if (refolded === undefined) return `${name}: ${stream} ${fault}`;
  return `${name}: ${stream} ${fault}: ${refolded._tag === 'Projected' ? 'repaired' : `parked, ${refolded.reason}`}`;
};

const reportDrift = (projection: string, drift: Drift, refolded: Refolded | undefined, options: Options): void => {
  const outcome = refolded === undefined ? {} : { outcome: refolded._tag };
  printFinding(options, driftLine(projection, drift, refolded), { projection, ...drift, ...outcome });
};

const reportCounts = (projection: string, { checked, drifted, repaired }: Verified, options: Options): void => {
  const found = drifted === 0 ? 'none differs from its stream' : `${drifted} drifted, ${repaired} repaired`;
  const text = `${projection}: ${checked} entities compared, ${found}`;
  printFinding(options, text, { projection, checked, drifted, repaired });
};

const verifyOne = async (
  { name, verify, refold }: ReadModelOperations,
  options: Options,
  signal: AbortSignal,
): Promise<Verified> => {
  const { sample, repair } = options;
  const progress = makeProgress(standardError, `verifying ${name}`, 'entities');
  let repaired = 0;
  const verified = await verify({
    sample,
    onChecked: (checked) => progress.report(checked, undefined),
    onDrift: async (drift) => {
      const refolded = repair === true ? await refold(drift.stream) : undefined;
      if (refolded !== undefined) repaired += 1;
      progress.end();
      reportDrift(name, drift, refolded, options);
    },
    signal,
  });
  progress.end();
  return { ...verified, repaired };
};

const verifyAll = async (
  { readModels }: Operations,
  wanted: ProjectionName | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  let left = 0;
  for (const readModel of readModels.filter(({ name }) => wanted === undefined || name === wanted)) {
    const verified = await verifyOne(readModel, options, signal);
    if (!verified.isComplete) {
      tell(`interrupted after ${verified.checked} entities of ${readModel.name}`);
      return EXIT.interrupted;
    }
    left += verified.drifted - verified.repaired;
    reportCounts(readModel.name, verified, options);
  }
  return left === 0 ? EXIT.ok : EXIT.failed;
};

export const addVerifyRows = (projections: Command): void => {
  projections
    .command('verify')
    .addArgument(projectionArgument('which one; without it, both'))
    .description(
      'folds entities from the log and compares them with their live rows, field by field, each as of the ' +
        'checkpoint that stood when its row was read: rows that are behind the log do not differ',
    )
    .option('--sample <n>', 'so many rows by chance; without it all, and entities that have no row', sampleArgument)
    .option('--repair', 'write rows that differ anew from their streams; a projector may run meanwhile')
    .addOption(jsonOption('one JSON object a line: each drifted row, then the counts of each read model'))
    .action((name: ProjectionName | undefined, options: Options) =>
      onEntities((operations, signal) => verifyAll(operations, name, options, signal)),
    );
};
