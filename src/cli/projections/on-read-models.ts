import { either as E } from 'fp-ts';
import { type Operations, operationsOn } from '../../../projections/engine/operations.js';
import { projectionsOf, type Registry } from '../../entities/registry.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { failed } from '../output.js';
import { type ReadModels, withReadModels } from './with-read-models.js';

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
  onReadModels(registry, async ({ store, pool, registry: signing, eventKey }, signal) => {
    const operations = await operationsOn(store, pool, projectionsOf(signing), eventKey);
    return E.isLeft(operations) ? failed(operations.left.message) : work(operations.right, signal);
  });
