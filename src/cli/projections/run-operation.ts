import { type Operations, operationsOn } from '../../../projections/engine/operations.js';
import type { ExitCode } from '../exit-code.js';
import { runCommand } from '../run-command.js';
import { withReadModels } from './with-read-models.js';

/** Runs a command on the read models, beside a running service or without one. */
export const runOperation = (work: (operations: Operations, signal: AbortSignal) => Promise<ExitCode>): Promise<void> =>
  runCommand((config, signal) =>
    withReadModels(config, signal, ({ store, pool }) => work(operationsOn(store, pool), signal)),
  );
