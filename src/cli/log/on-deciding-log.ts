import { either as E } from 'fp-ts';
import type { Config } from '../../config.js';
import { whyNotInTree } from '../../../projections/engine/generation/decisions-in-tree.js';
import { ledgerOf, type Registry } from '../../entities/registry.js';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import type { ExitCode } from '../exit-code.js';
import { failed } from '../output.js';
import { type ReadModels, withReadModels } from '../projections/with-read-models.js';
import { runCommand } from '../run-command.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** A log with the decisions of operators in it. */
export type DecidingLog = ReadModels & {
  readonly config: Config;
  /** The newest one seals decisions. */
  readonly keys: EventKeys;
};

type Work = (log: DecidingLog, signal: AbortSignal) => Promise<ExitCode>;

/** Runs a command that reads decisions of operators. */
export const onDecidedLog = (registry: Registry, work: Work): Promise<void> =>
  runCommand((config, signal) =>
    withReadModels(config, registry, signal, async (opened) => {
      const keys = await sharedEventKeys(systemRuntime.random, config);
      return E.isLeft(keys) ? failed(keys.left.message) : work({ ...opened, config, keys: keys.right }, signal);
    }),
  );

/** Runs a command that records decisions in the log of the service, unless they would not be in the tree that is signed. */
export const onDecidingLog = (registry: Registry, work: Work): Promise<void> =>
  onDecidedLog(registry, async (log, signal) => {
    const why = await whyNotInTree(log.storage, ledgerOf(log.registry));
    return why === undefined ? work(log, signal) : failed(`not recorded: ${why}`);
  });
