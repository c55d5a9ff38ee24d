import type { SignedCheckpoint } from '../../read/sealed-tree.js';
import { CHECKPOINTS, checkpointKey, TIMESTAMPS } from './checkpoint-key.js';
import type { CheckpointObjects } from './checkpoint-objects.js';

/** The key of the timestamp of a checkpoint: as that of the checkpoint, in a folder beside those of the origins. */
const timestampKey = (checkpoint: Pick<SignedCheckpoint, 'origin' | 'size'>): string =>
  checkpointKey(checkpoint).replace(CHECKPOINTS, `${CHECKPOINTS}/${TIMESTAMPS}`);

/** Keeps a timestamp beside its checkpoint; one that is there already stays. Rejects with the storage's errors. */
export const makeKeepTimestamp =
  ({ add }: Pick<CheckpointObjects, 'add'>) =>
  async (checkpoint: SignedCheckpoint, answer: Buffer): Promise<void> => {
    await add(timestampKey(checkpoint), answer);
  };
