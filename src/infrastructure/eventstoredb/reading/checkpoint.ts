import { either as E } from 'fp-ts';
import { orThrow } from '../../../event-sourcing/attempt.js';
import { CheckpointNotInLog, type EventStore, type StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { pause } from '../../../event-sourcing/pause.js';
import type { Checkpoint, Position } from '../../../event-sourcing/recorded-event.js';
import { type Access, readOnLeader } from '../connection/on-leader.js';
import { endOfLog } from './head.js';

export const notInLog = (checkpoint: Checkpoint, message: string): CheckpointNotInLog =>
  new CheckpointNotInLog(checkpoint, `checkpoint ${checkpoint.commit.toString()} is not in this log: ${message}`);

/** Reads once more when the log ends before the checkpoint, because a reader that gets this error stops for good. */
const endSeenFrom = async (access: Access, checkpoint: Checkpoint): Promise<E.Either<StoreUnavailable, Position>> => {
  const end = await readOnLeader(access, endOfLog);
  if (E.isLeft(end) || end.right >= checkpoint.commit) return end;
  await pause(access.timings.backoff.longest, access.connection.closed);
  return readOnLeader(access, endOfLog);
};

/**
 * Throws `CheckpointNotInLog` when the log ends before the checkpoint: the server would accept a subscription from there
 * and leave out what is appended before it. (A position in the log at which no record begins the server rejects itself.)
 */
export const failWhenPastEnd = async (access: Access, checkpoint: Checkpoint): Promise<void> => {
  const end = orThrow(await endSeenFrom(access, checkpoint));
  if (end < checkpoint.commit) throw notInLog(checkpoint, `it ends at ${end.toString()}`);
};

export const makeReaches =
  (access: Access): EventStore['reaches'] =>
  async (checkpoint) =>
    E.map((end: Position) => end >= checkpoint.commit)(await endSeenFrom(access, checkpoint));
