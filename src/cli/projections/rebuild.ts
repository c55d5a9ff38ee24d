import { type Command, Option } from 'commander';
import { either as E } from 'fp-ts';
import { type Compared, isSame } from '../../../projections/engine/rebuild/compare-with-live.js';
import { rebuild, type RebuildOptions, type Rebuilt } from '../../../projections/engine/rebuild/rebuild.js';
import { readErasures } from '../../application/erasure/read-erasures.js';
import type { Registry } from '../../entities/registry.js';
import { ask } from '../ask.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, print, printNote } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { describeComparison, SHOWN } from './describe-comparison.js';
import { openReport } from './difference-report.js';
import { loadingThreads } from './loading-threads.js';
import { readModelArgument, readModelsNamed } from './projection-argument.js';
import { onReadModels } from './on-read-models.js';
import type { ReadModels } from './with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

type Options = JsonOption & {
  readonly switch: 'always' | 'if-same' | 'never';
  readonly report?: string;
  readonly fromScratch?: true;
  readonly fromOtherLog?: true;
  readonly dryRun?: true;
};

type Say = (line: string) => void;

const ERASING =
  '  an erasure has begun and not ended: until then the live rows of its records differ. `ops erase list` names it; rebuild again then';

const isErasing = async ({ store, eventKeys }: ReadModels): Promise<boolean> => {
  for await (const { unfinished } of readErasures(store, eventKeys)) if (unfinished.length > 0) return true;
  return false;
};

const decideBy =
  ({ switch: wanted, dryRun, json }: Options, say: Say, readModels: ReadModels): RebuildOptions['decide'] =>
  async (compared, signal) => {
    if (compared !== undefined) for (const line of describeComparison(compared)) say(line);
    if (compared !== undefined && !isSame(compared) && (await isErasing(readModels))) say(ERASING);
    if (dryRun === true) return 'drop';
    if (wanted === 'always') return 'switch';
    if (wanted === 'never') return 'keep';
    if (compared === undefined || isSame(compared)) return 'switch';
    const canAsk = json !== true && process.stdin.isTTY && process.stderr.isTTY;
    return canAsk && (await ask('switch to the rebuilt rows nevertheless?', signal)) ? 'switch' : 'keep';
  };

const observe = (name: string, say: Say) => {
  const progress = makeProgress(`rebuilding ${name}`);
  const began = systemRuntime.clock.monotonic();
  let events = 0;
  return {
    onOpened: (generation: string, resumedAt: 'start' | { readonly commit: bigint }) => {
      if (resumedAt !== 'start') say(`${name}: goes on with ${generation} at position ${resumedAt.commit}`);
    },
    onChunksLoaded: (loaded: number, chunks: number) => {
      say(
        `${name}: goes on with what an earlier rebuild has loaded, ${loaded} of ${counted(chunks, 'chunk')} of the log`,
      );
    },
    onProgress: (count: number, share: number) => {
      events = count;
      progress.report(count, share);
    },
    onBuilt: () => {
      progress.end();
      const seconds = (systemRuntime.clock.monotonic() - began) / 1_000;
      say(
        `${name}: built from ${counted(events, 'event')} in ${seconds.toFixed(1)} s (${Math.round(events / seconds)} a second)`,
      );
    },
  };
};

/** The comparison as `--json` shows it: counts, no values. */
const asJson = ({ at, rows, differing, onlyLive, onlyRebuilt }: Compared) => ({
  position: at < 0n ? null : at.toString(),
  live: rows.live,
  rebuilt: rows.rebuilt,
  differing,
  onlyLive,
  onlyRebuilt,
});

const conclude = (
  name: string,
  { generation, compared, outcome, previous }: Rebuilt,
  { json }: Options,
  say: Say,
): ExitCode => {
  const back = previous === undefined ? '' : `; \`projections rollback ${name}\` goes back`;
  if (outcome === 'Switched') say(`${name}: ${generation} is live${back}`);
  if (outcome === 'Kept')
    say(
      `${name}: not switched; ${generation} is kept, and \`projections rebuild ${name} --switch always\` switches to it`,
    );
  if (outcome === 'Dropped') say(`${name}: dropped again; the live rows are as they were`);
  if (json === true)
    print(
      JSON.stringify({
        projection: name,
        generation,
        instance: generation,
        outcome,
        compared: compared ? asJson(compared) : null,
      }),
    );
  return outcome === 'Switched' || compared === undefined || isSame(compared) ? EXIT.ok : EXIT.failed;
};

const rebuildAll = async (
  readModels: ReadModels,
  name: string | undefined,
  options: Options,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { storage, store, encryption, databaseUrl, registry, snapshotKey } = readModels;
  const report = await openReport(options.report);
  const say = options.json === true ? printNote : print;
  const keyTree = encryption?.keys().toBytes();
  const loading = { databaseUrl, registry, snapshotKey, keyTree };
  let code: ExitCode = EXIT.ok;
  try {
    for (const projection of readModelsNamed(registry, name)) {
      const rebuilt = await rebuild({
        runtime: systemRuntime,
        storage,
        store,
        projection,
        isFromScratch: options.fromScratch === true,
        isFromOtherLog: options.fromOtherLog === true,
        isDryRun: options.dryRun === true,
        differences: { keep: SHOWN, onDifference: report.add },
        decide: decideBy(options, say, readModels),
        observer: observe(projection.name, say),
        makeLoaders: loadingThreads({ ...loading, projection: projection.name }),
        signal,
      });
      if (E.isLeft(rebuilt)) return failed(rebuilt.left.message);
      code = conclude(projection.name, rebuilt.right, options, say) === EXIT.ok ? code : EXIT.failed;
    }
  } finally {
    await report.close();
  }
  return code;
};

export const addRebuild = (projections: Command, registry: Registry): void => {
  projections
    .command('rebuild')
    .addArgument(readModelArgument(registry))
    .description(
      'makes the rows anew from the log beside the live ones, compares both at one position, and switches\n' +
        '(the service keeps running; a rebuild that is killed has changed nothing, and the next one continues it)',
    )
    .addOption(
      new Option(
        '--switch <when>',
        'if rows differ, if-same asks on a terminal, and otherwise does not switch and exits with 1',
      )
        .choices(['always', 'if-same', 'never'])
        .default('if-same'),
    )
    .option('--report <file>', 'write every difference with its values into this file, one JSON object a line')
    .option(
      '--from-scratch',
      'drop what an unfinished rebuild has left, instead of going on with it; and replace live rows that have seen ' +
        'what is not in the log, as after a restore of the log: nothing is compared then, and there is no way back',
    )
    .option('--from-other-log', 'the same, also when the live rows were made from the log of another installation')
    .option('--dry-run', 'compare only: builds rows of its own and drops them; what an earlier rebuild has kept stays')
    .addOption(jsonOption('one JSON object a line: what became of each read model; nothing is asked'))
    .action((name: string | undefined, options: Options) =>
      onReadModels(registry, (readModels, signal) => rebuildAll(readModels, name, options, signal)),
    );
};
