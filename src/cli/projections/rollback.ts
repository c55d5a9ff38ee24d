import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import { rollBack } from '../../../projections/engine/rebuild/rollback.js';
import type { Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, type JsonOption, jsonOption, printFinding } from '../output.js';
import { onReadModels } from './on-read-models.js';
import { readModelArgument, readModelsNamed } from './projection-argument.js';
import type { ReadModels } from './with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

const rollBackAll = async (
  { storage, store, registry }: ReadModels,
  name: string | undefined,
  options: JsonOption,
  signal: AbortSignal,
): Promise<ExitCode> => {
  for (const projection of readModelsNamed(registry, name)) {
    const began = systemRuntime.clock.monotonic();
    const switched = await rollBack({ runtime: systemRuntime, storage, store, projection, signal });
    if (E.isLeft(switched)) return failed(switched.left.message);
    const { live, previous } = switched.right;
    const ms = Math.round(systemRuntime.clock.monotonic() - began);
    const text = `${projection.name}: ${live} is live again after ${ms} ms; ${previous ?? 'nothing'} is kept`;
    printFinding(options, text, {
      projection: projection.name,
      live,
      previous: previous ?? null,
      milliseconds: ms,
    });
  }
  return EXIT.ok;
};

export const addRollback = (projections: Command, registry: Registry): void => {
  projections
    .command('rollback')
    .addArgument(readModelArgument(registry))
    .description(
      'switches back to the previous rows, in one transaction; a second rollback switches forward again\n' +
        '(they are kept up to date for ROLLBACK_WINDOW after they were replaced; an error when there are none)',
    )
    .addOption(jsonOption('one JSON object a line: each read model that was switched'))
    .action((name: string | undefined, options: JsonOption) =>
      onReadModels(registry, (readModels, signal) => rollBackAll(readModels, name, options, signal)),
    );
};
