import { either as E } from 'fp-ts';
import type { EngineFailure } from '../../../projections/engine/engine-failure.js';
import { type Operations, operationsOn } from '../../../projections/engine/operations.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { printNote } from '../output.js';
import { type ReadModels, withReadModels } from './with-read-models.js';

/** Prints why the engine could not do what it was asked. */
export const failed = ({ message }: EngineFailure): ExitCode => {
  printNote(message);
  return EXIT.failed;
};

/** Runs a command on the read models of the service, beside a running one or without it. */
export const onReadModels = (
  registry: Registry,
  work: (readModels: ReadModels, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) => withReadModels(config, registry, signal, (readModels) => work(readModels, signal)));

/** The same for a command on single entities; an error when the rows are of another log. */
export const onEntities = (
  registry: Registry,
  work: (operations: Operations, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> =>
  onReadModels(registry, async ({ store, pool }, signal) => {
    const operations = await operationsOn(store, pool, projectionsOf(registry));
    return E.isLeft(operations) ? failed(operations.left) : work(operations.right, signal);
  });
