import type { OnLogFault } from '../../event-sourcing/whole-log/log-fault.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import { makeCheckpointArchive } from '../checkpoints/checkpoint-archive.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';

/** The checkpoints in the storage of files. What is kept there and is no checkpoint is a fault. To read all of them ends with `signal`. */
export const archiveToVerify = (
  objects: CheckpointObjects,
  onFault: OnLogFault,
  signal: AbortSignal,
): CheckpointArchive =>
  makeCheckpointArchive(objects, {
    signal,
    onUnfit: ({ key, reason }) =>
      onFault({ kind: 'checkpoint-invalid', reason: `${key} in the file storage is no checkpoint: ${reason}` }),
  });
