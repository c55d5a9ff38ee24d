import type { OnLogFault } from '../../event-sourcing/whole-log/log-fault.js';
import type { CheckpointArchive } from '../../sealing/checkpoint-archive.js';
import { makeCheckpointArchive } from '../checkpoints/checkpoint-archive.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';

/** The checkpoints in the storage of files. What is kept there and is no checkpoint is a fault. */
export const archiveToVerify = (objects: CheckpointObjects, onFault: OnLogFault): CheckpointArchive =>
  makeCheckpointArchive(objects, {
    onUnfit: ({ key, reason }) =>
      onFault({ kind: 'checkpoint-invalid', reason: `${key} in the file storage is no checkpoint: ${reason}` }),
  });
