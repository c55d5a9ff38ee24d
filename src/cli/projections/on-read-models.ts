import { either as E } from 'fp-ts';
import { type Operations, operationsOn } from '../../../projections/engine/operations.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { failed } from '../output.js';
import { type ReadModels, withReadModels } from './with-read-models.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

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
  /** Why it is not to be done, where it is not. Default: nothing speaks against it. */
  findObstacle: (readModels: ReadModels) => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<void> =>
  onReadModels(registry, async (readModels, signal) => {
    const { store, storage, registry: signing, eventKeys } = readModels;
    const obstacle = await findObstacle(readModels);
    if (obstacle !== undefined) return failed(obstacle);
    const operations = await operationsOn(systemRuntime, store, storage, projectionsOf(signing), eventKeys[0]);
    return E.isLeft(operations) ? failed(operations.left.message) : work(operations.right, signal);
  });
