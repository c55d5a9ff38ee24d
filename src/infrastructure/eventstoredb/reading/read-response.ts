import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogBatch } from '../../../event-sourcing/event-store.js';
import {
  type Checkpoint,
  checkpointOf,
  type From,
  type StoredEvent,
  type StreamName,
} from '../../../event-sourcing/recorded-event.js';
import { asCheckpoint } from './between-records.js';

const textOf = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

/** The event in a response, its texts byte for byte; undefined when the response holds none. */
export const eventIn = (response: ReadResp): StoredEvent | undefined => {
  const event = response.getEvent()?.getEvent();
  if (event === undefined) return undefined;
  return {
    id: event.getId()?.getString() ?? '',
    type: event.getMetadataMap().get('type') ?? '',
    data: textOf(event.getData_asU8()),
    metadata: textOf(event.getCustomMetadata_asU8()),
    // reason: only streams of this form are asked for
    stream: textOf(event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()) as StreamName,
    revision: BigInt(event.getStreamRevision()),
    position: BigInt(event.getCommitPosition()),
  };
};

/** False of the database's own records (`$streamDeleted`, `$metadata`, …), which may lie between ours. */
export const isUserEvent = ({ type }: StoredEvent): boolean => !type.startsWith('$');

const checkpointIn = (response: ReadResp): Checkpoint | undefined => {
  const checkpoint = response.getCheckpoint();
  return (
    checkpoint &&
    asCheckpoint({
      commit: BigInt(checkpoint.getCommitPosition()),
      prepare: BigInt(checkpoint.getPreparePosition()),
    })
  );
};

/**
 * The batch in these responses; undefined when they hold nothing new. A server may send an event twice, so only records
 * with a higher commit position than `after` count.
 */
export const batchIn = (responses: ReadonlyArray<ReadResp>, after: From): LogBatch | undefined => {
  const events: Array<StoredEvent> = [];
  let reached = after;
  for (const response of responses) {
    const event = eventIn(response);
    const checkpoint = event === undefined ? checkpointIn(response) : checkpointOf(event);
    if (checkpoint === undefined || (reached !== 'start' && checkpoint.commit <= reached.commit)) continue;
    reached = checkpoint;
    if (event !== undefined && isUserEvent(event)) events.push(event);
  }
  return reached === after || reached === 'start' ? undefined : { events, checkpoint: reached };
};
