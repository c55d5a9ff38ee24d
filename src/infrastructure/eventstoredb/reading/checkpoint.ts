import { either as E } from 'fp-ts';
import { orThrow } from '../../../event-sourcing/attempt.js';
import { CheckpointNotInLog, type EventStore, type StoreUnavailable } from '../../../event-sourcing/event-store.js';
import { type Checkpoint, checkpointAt, type Position } from '../../../event-sourcing/recorded-event.js';
import { CallFailed } from '../connection/call-failed.js';
import type { Node } from '../connection/node.js';
import { type Access, readOnLeader } from '../connection/on-leader.js';
import { asCheckpoint, placeBetweenRecords } from './between-records.js';
import { endOfLog } from './head.js';
import { readPage } from './read-page.js';
import { newestRequest } from './read-request.js';

export const notInLog = (checkpoint: Checkpoint, message: string): CheckpointNotInLog =>
  new CheckpointNotInLog(checkpoint, `checkpoint ${checkpoint.commit.toString()} is not in this log: ${message}`);

/** Whether a record ends at `place`. The server fails a read backwards from anywhere else, and from past its end. */
const endsRecord = async (node: Node, place: Position, timeout: number): Promise<boolean> => {
  const before = newestRequest(undefined, checkpointAt(place));
  try {
    return (await readPage(node, before, timeout)).events.length > 0;
  } catch (failure) {
    if (failure instanceof CallFailed && !failure.isTransient) return false;
    throw failure;
  }
};

/** Where the log ends, as far as the checkpoint is concerned: at it or beyond it when it is in the log. */
const endSeenFrom =
  ({ commit, prepare }: Checkpoint) =>
  async (node: Node, timeout: number): Promise<Position> => {
    const end = await endOfLog(node, timeout);
    const place = placeBetweenRecords({ commit, prepare });
    return place !== undefined && end < place && (await endsRecord(node, place, timeout)) ? place : end;
  };

/** Reads once more when the log ends before the checkpoint, because a reader that gets this error stops for good. */
const confirmedEnd = async (access: Access, checkpoint: Checkpoint): Promise<E.Either<StoreUnavailable, Position>> => {
  const end = await readOnLeader(access, endSeenFrom(checkpoint));
  if (E.isLeft(end) || end.right >= checkpoint.commit) return end;
  await access.runtime.clock.sleep(access.timings.backoff.longest, access.connection.closed);
  return readOnLeader(access, endSeenFrom(checkpoint));
};

/**
 * Throws `CheckpointNotInLog` when the log ends before the checkpoint: the server would accept a subscription from there
 * and leave out what is appended before it. (A position in the log at which no record begins the server rejects itself.)
 */
export const failWhenPastEnd = async (access: Access, checkpoint: Checkpoint): Promise<void> => {
  const end = orThrow(await confirmedEnd(access, checkpoint));
  if (end < checkpoint.commit) throw notInLog(checkpoint, `it ends at ${end.toString()}`);
};

export const makeReaches =
  (access: Access): EventStore['reaches'] =>
  async (checkpoint) =>
    E.map((end: Position) => end >= checkpoint.commit)(await confirmedEnd(access, asCheckpoint(checkpoint)));
