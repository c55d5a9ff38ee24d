import { isUtf8 } from 'node:buffer';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { LogBatch } from '../../../event-sourcing/event-store.js';
import {
  type Checkpoint,
  checkpointAt,
  type From,
  type StoredEvent,
  type StreamName,
} from '../../../event-sourcing/recorded-event.js';
import { type EventBytes, storedEventOf } from '../../../event-sourcing/stream-page.js';
import { asCheckpoint } from './between-records.js';

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** EventStoreDB takes any bytes; those that are no UTF-8 become U+FFFD. */
const textBytes = (bytes: Uint8Array): Buffer =>
  isUtf8(bytes) ? bufferOf(bytes) : Buffer.from(bufferOf(bytes).toString());

/** The event in a response, its texts byte for byte; undefined when the response holds none. */
export const eventIn = (response: ReadResp): EventBytes | undefined => {
  const event = response.getEvent()?.getEvent();
  if (event === undefined) return undefined;
  return {
    id: event.getId()?.getString() ?? '',
    type: event.getMetadataMap().get('type') ?? '',
    data: textBytes(event.getData_asU8()),
    metadata: textBytes(event.getCustomMetadata_asU8()),
    // reason: only streams of this form are asked for
    stream: bufferOf(event.getStreamIdentifier()?.getStreamName_asU8() ?? new Uint8Array()).toString() as StreamName,
    revision: BigInt(event.getStreamRevision()),
    position: BigInt(event.getCommitPosition()),
  };
};

/** False of the database's own records (`$streamDeleted`, `$metadata`, …), which may lie between ours. */
export const isUserEvent = ({ type }: Pick<StoredEvent, 'type'>): boolean => !type.startsWith('$');

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
    const checkpoint = event === undefined ? checkpointIn(response) : checkpointAt(event.position);
    if (checkpoint === undefined || (reached !== 'start' && checkpoint.commit <= reached.commit)) continue;
    reached = checkpoint;
    if (event !== undefined && isUserEvent(event)) events.push(storedEventOf(event));
  }
  return reached === after || reached === 'start' ? undefined : { events, checkpoint: reached };
};
