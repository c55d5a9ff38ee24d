import { either as E } from 'fp-ts';
import type { Config } from '../config.js';
import { makeCheckpointArchive } from '../infrastructure/checkpoints/checkpoint-archive.js';
import { openStorage } from '../infrastructure/open-storage.js';
import { orThrow } from '../event-sourcing/attempt.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointArchive } from '../sealing/checkpoint-archive.js';
import type { ExitCode } from './exit-code.js';
import { failed, printNote } from './output.js';
import { systemRuntime } from '../infrastructure/system-runtime.js';

const causeOf = ({ cause }: { readonly cause: unknown }): Error =>
  cause instanceof Error ? cause : new Error('cannot be read', { cause });

/** What a checkpoint is read with; throws where that cannot be. */
export const checkpointOrThrow = <A>(found: E.Either<{ readonly cause: unknown }, A>): A =>
  orThrow(E.mapLeft(causeOf)(found));

/** The largest checkpoint of an origin there. Rejects with errors of the storage. */
export const largestIn =
  (archive: CheckpointArchive) =>
  async (origin: string): Promise<SignedCheckpoint | undefined> =>
    checkpointOrThrow(await archive.largestOf(origin, -1));

/** Opens the checkpoints in the storage of files for the time that `use` takes. What is none there is named on standard error. */
export const withCheckpointArchive = async (
  config: Config,
  use: (archive: CheckpointArchive) => Promise<ExitCode>,
): Promise<ExitCode> => {
  const storage = await openStorage(config, { runtime: systemRuntime });
  if (E.isLeft(storage)) return failed(storage.left.message);
  const { checkpoints, space } = storage.right;
  const onUnfit = ({ key, reason }: { readonly key: string; readonly reason: string }): void =>
    printNote(`${key} in the file storage is not used: ${reason}`);
  try {
    return await use(makeCheckpointArchive(checkpoints, { onUnfit }));
  } finally {
    await space?.stop();
  }
};
