import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogBatch } from '../../event-sourcing/event-store.js';
import { type Checkpoint, checkpointOf, type From, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { isOurs, storedEventOf } from './stored-event.js';

const checkpointIn = (response: ReadResp): Checkpoint | undefined => {
  const checkpoint = response.getCheckpoint();
  return (
    checkpoint && {
      commit: BigInt(checkpoint.getCommitPosition()),
      prepare: BigInt(checkpoint.getPreparePosition()),
    }
  );
};

const isBeyond = (seen: From, { commit }: Checkpoint): boolean => seen === 'start' || commit > seen.commit;

/**
 * What these answers add to what was seen; nothing when they add nothing. Only a growing commit position counts: an
 * event that comes again is dropped, and so is the prepare position 0 that a checkpoint between two events has.
 */
export const batchOf = (responses: ReadonlyArray<ReadResp>, seen: From): LogBatch | undefined => {
  const events: Array<StoredEvent> = [];
  let reached = seen;
  for (const response of responses) {
    const event = storedEventOf(response);
    const place = event === undefined ? checkpointIn(response) : checkpointOf(event);
    if (place === undefined || !isBeyond(reached, place)) continue;
    reached = place;
    if (event !== undefined && isOurs(event)) events.push(event);
  }
  return reached === seen || reached === 'start' ? undefined : { events, checkpoint: reached };
};
