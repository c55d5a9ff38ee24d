import { isAscii, isUtf8 } from 'node:buffer';
import { bytesAsString, type ByteString } from '../../../event-sourcing/byte-string.js';
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
import { ProtobufReader } from './protobuf-reader.js';

/** One message of a read. */
export type ReadMessage =
  | { readonly _tag: 'Event'; readonly event: EventBytes }
  | { readonly _tag: 'Checkpoint'; readonly checkpoint: Checkpoint }
  /** A subscription has given all that there is. */
  | { readonly _tag: 'CaughtUp' }
  | { readonly _tag: 'Other' };

type Fields = { -readonly [Name in keyof EventBytes]: EventBytes[Name] };

const NOTHING = bytesAsString(Buffer.alloc(0));

/** EventStoreDB takes any bytes; those that are no UTF-8 become U+FFFD. */
const textIn = (reader: ProtobufReader, event: Fields): ByteString => {
  const bytes = reader.bytes();
  if (isAscii(bytes)) return bytesAsString(bytes);
  event.isAscii = false;
  return bytesAsString(isUtf8(bytes) ? bytes : Buffer.from(bytes.toString()));
};

// the numbers below are those of the fields in the server's streams.proto and shared.proto

const uuidIn = (reader: ProtobufReader): string => {
  let text = '';
  reader.readMessage((field) => {
    if (field === 2) text = reader.text();
    else reader.skip();
  });
  return text;
};

const streamIn = (reader: ProtobufReader): StreamName => {
  let text = '';
  reader.readMessage((field) => {
    if (field === 3) text = reader.text();
    else reader.skip();
  });
  // reason: only streams of this form are asked for
  return text as StreamName;
};

/** The value of an entry of the metadata of the server, when the entry is the type of the event. */
const typeIn = (reader: ProtobufReader): string | undefined => {
  let [key, value] = ['', ''];
  reader.readMessage((field) => {
    if (field === 1) key = reader.text();
    else if (field === 2) value = reader.text();
    else reader.skip();
  });
  return key === 'type' ? value : undefined;
};

const recordIn = (reader: ProtobufReader): EventBytes => {
  const place = { stream: '-', revision: 0n, position: 0n } as const;
  const texts = { data: NOTHING, metadata: NOTHING, dataSize: 0, metadataSize: 0, isAscii: true };
  const event: Fields = { id: '', type: '', ...texts, ...place };
  reader.readMessage((field) => {
    if (field === 1) event.id = uuidIn(reader);
    else if (field === 2) event.stream = streamIn(reader);
    else if (field === 3) event.revision = reader.uint64();
    else if (field === 5) event.position = reader.uint64();
    else if (field === 6) event.type = typeIn(reader) ?? event.type;
    else if (field === 7) {
      event.metadata = textIn(reader, event);
      event.metadataSize = event.metadata.length;
    } else if (field === 8) {
      event.data = textIn(reader, event);
      event.dataSize = event.data.length;
    } else reader.skip();
  });
  return event;
};

const eventIn = (reader: ProtobufReader): ReadMessage => {
  let event: EventBytes | undefined;
  reader.readMessage((field) => {
    if (field === 1) event = recordIn(reader);
    else reader.skip();
  });
  return event === undefined ? { _tag: 'Other' } : { _tag: 'Event', event };
};

const checkpointIn = (reader: ProtobufReader): ReadMessage => {
  let [commit, prepare] = [0n, 0n];
  reader.readMessage((field) => {
    if (field === 1) commit = reader.uint64();
    else if (field === 2) prepare = reader.uint64();
    else reader.skip();
  });
  return { _tag: 'Checkpoint', checkpoint: asCheckpoint({ commit, prepare }) };
};

/**
 * A message of a read from its bytes; texts are as they were stored. By hand, because the generated classes take four
 * times as long, and every event passes here.
 */
export const decodeReadMessage = (bytes: Buffer): ReadMessage => {
  const reader = new ProtobufReader(bytes);
  let message: ReadMessage = { _tag: 'Other' };
  reader.readFields(bytes.length, (field) => {
    if (field === 1) message = eventIn(reader);
    else if (field === 3) message = checkpointIn(reader);
    else {
      reader.skip();
      if (field === 8) message = { _tag: 'CaughtUp' };
    }
  });
  return message;
};

/** False of the database's own records (`$streamDeleted`, `$metadata`, …), which may lie between ours. */
export const isUserEvent = ({ type }: Pick<StoredEvent, 'type'>): boolean => !type.startsWith('$');

export const isCaughtUp = (messages: ReadonlyArray<ReadMessage>): boolean =>
  messages.some(({ _tag }) => _tag === 'CaughtUp');

/**
 * The batch in these messages, of the records that are wanted; undefined when they hold nothing new. A server may send an
 * event twice, so only records with a higher commit position than `after` count.
 */
export const batchIn = (
  messages: ReadonlyArray<ReadMessage>,
  after: From,
  isWanted: (record: Pick<StoredEvent, 'type'>) => boolean = isUserEvent,
): LogBatch | undefined => {
  const events: Array<StoredEvent> = [];
  let reached = after;
  for (const message of messages) {
    if (message._tag !== 'Event' && message._tag !== 'Checkpoint') continue;
    const checkpoint = message._tag === 'Event' ? checkpointAt(message.event.position) : message.checkpoint;
    if (reached !== 'start' && checkpoint.commit <= reached.commit) continue;
    reached = checkpoint;
    if (message._tag === 'Event' && isWanted(message.event)) events.push(storedEventOf(message.event));
  }
  return reached === after || reached === 'start' ? undefined : { events, checkpoint: reached };
};
