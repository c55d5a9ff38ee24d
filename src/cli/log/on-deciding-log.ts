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

/** A log into which an operator's decision can be recorded. */
export type DecidingLog = Pick<ReadModels, 'store' | 'pool' | 'registry'> & {
  readonly config: Config;
  /** The newest one seals decisions. */
  readonly keys: EventKeys;
};

/** Runs a command that records decisions in the log of the service, unless they would not be in the tree that is signed. */
export const onDecidingLog = (
  registry: Registry,
  work: (log: DecidingLog, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) =>
    withReadModels(config, registry, signal, async ({ store, pool, storage, registry: signing }) => {
      const keys = await sharedEventKeys(systemRuntime.random, config);
      if (E.isLeft(keys)) return failed(keys.left.message);
      const why = await whyNotInTree(storage, ledgerOf(signing));
      if (why !== undefined) return failed(`not recorded: ${why}`);
      return work({ store, pool, registry: signing, config, keys: keys.right }, signal);
    }),
  );
