import { type Operations, operationsOn } from '../../../projections/engine/operations.js';
import { refuseOtherOrigins } from '../../../projections/engine/instance/origin.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { type ReadModels, withReadModels } from './with-read-models.js';

/** Runs a command on the read models of the service, beside a running one or without it. */
export const onReadModels = (work: (readModels: ReadModels, signal: AbortSignal) => Promise<ExitCode>): Promise<void> =>
  runCommand((config, signal) => withReadModels(config, signal, (readModels) => work(readModels, signal)));

/** The same, for what is done entity by entity: never to rows of another log. */
export const onEntities = (work: (operations: Operations, signal: AbortSignal) => Promise<ExitCode>): Promise<void> =>
  onReadModels(async ({ store, pool }, signal) => {
    await refuseOtherOrigins(store, pool);
    return work(operationsOn(store, pool), signal);
  });
