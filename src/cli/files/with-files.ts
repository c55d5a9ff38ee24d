import { either as E } from 'fp-ts';
import type { Registry } from '../../entities/registry.js';
import type { OpenLog } from '../../infrastructure/open-stores.js';
import { openStorage, type Storage } from '../../infrastructure/open-storage.js';
import type { ExitCode } from '../exit-code.js';
import { withConfiguredLog } from '../log/with-log.js';
import { failed } from '../output.js';
import { runCommand } from '../run-command.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

/** The log, and the storage of the files that its events name. */
export type Files = { readonly store: OpenLog['log']; readonly storage: Storage };

/** Runs a command on the log and the files of the service, beside a running one or without it. */
export const onConfiguredFiles = (
  registry: Registry,
  work: (files: Files, signal: AbortSignal) => Promise<ExitCode>,
): Promise<void> =>
  runCommand((config, signal) =>
    withConfiguredLog(config, registry, async ({ log }) => {
      const storage = await openStorage(config, { runtime: systemRuntime, mustExist: true });
      if (E.isLeft(storage)) return failed(storage.left.message);
      try {
        return await work({ store: log, storage: storage.right }, signal);
      } finally {
        await storage.right.space?.stop();
      }
    }),
  );
