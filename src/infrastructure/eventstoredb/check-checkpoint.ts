import { attempt } from '../../event-sourcing/attempt.js';
import { asStoreUnavailable, CheckpointNotInLog, type EventStore } from '../../event-sourcing/event-store.js';
import { pause } from '../../event-sourcing/pause.js';
import type { Checkpoint, From } from '../../event-sourcing/recorded-event.js';
import { endOfLog } from './end-of-log.js';
import { type Access, onLeader } from './on-leader.js';

export const notInLog = (checkpoint: Checkpoint, message: string): CheckpointNotInLog =>
  new CheckpointNotInLog(checkpoint, `checkpoint ${checkpoint.commit.toString()} is not in this log: ${message}`);

/**
 * Rejects with `CheckpointNotInLog` when the log ends before `after`: the server would take such a place without a
 * word, call the reader caught up, and leave out everything up to it. (A place inside the log that no record has, it
 * refuses by itself.) Asks twice before it says so, for there is no way back from it.
 */
export const checkCheckpoint = async (access: Access, after: From): Promise<void> => {
  if (after === 'start') return;
  const end = () => onLeader(access, endOfLog);
  if ((await end()) >= after.commit) return;
  await pause(access.timings.longestPause);
  const last = await end();
  if (last < after.commit) throw notInLog(after, `it ends at ${last.toString()}`);
};

export const makeReaches =
  (access: Access): EventStore['reaches'] =>
  (checkpoint) =>
    attempt(
      () =>
        checkCheckpoint(access, checkpoint).then(
          () => true,
          (error: unknown) => {
            if (error instanceof CheckpointNotInLog) return false;
            throw error;
          },
        ),
      asStoreUnavailable,
    );
