import { type ByteString, textOf } from './byte-string.js';
import type { StoredEvent } from './recorded-event.js';

/** An event as the store sent it: `data` and `metadata` are the bytes of the JSON texts, in valid UTF-8. */
export type EventBytes = Omit<StoredEvent, 'data' | 'metadata'> & {
  readonly data: ByteString;
  readonly metadata: ByteString;
  /** The metadata but for their salt, where they are kept like that: of an event that has one. */
  readonly withoutSalt?: ByteString | undefined;
  /** How long each of them is at most, told without making the texts. */
  readonly dataSize: number;
  readonly metadataSize: number;
  /** Whether both are ASCII, as most of them are; false when that is not known. */
  readonly isAscii: boolean;
};

/** Bytes of the texts of some events. */
export const sizeOf = (events: ReadonlyArray<EventBytes>): number => {
  let size = 0;
  for (const { dataSize, metadataSize } of events) size += dataSize + metadataSize;
  return size;
};

/** The same event with the texts that its bytes stand for. */
export const storedEventOf = (event: EventBytes): StoredEvent => {
  const { id, type, data, metadata, stream, revision, position, isAscii } = event;
  if (isAscii) return { id, type, data, metadata, stream, revision, position };
  return { id, type, data: textOf(data), metadata: textOf(metadata), stream, revision, position };
};

/**
 * Events of a stream in the order asked for. They stay bytes for who passes them on; who decodes them iterates over the
 * page, which makes the texts, anew each time.
 */
export class StreamPage implements Iterable<StoredEvent> {
  readonly bytes: ReadonlyArray<EventBytes>;
  /** Whether nothing of the range comes behind them; false when the store does not know. */
  readonly isLast: boolean;

  constructor(bytes: ReadonlyArray<EventBytes>, isLast = false) {
    this.bytes = bytes;
    this.isLast = isLast;
  }

  get length(): number {
    return this.bytes.length;
  }

  [Symbol.iterator](): Iterator<StoredEvent> {
    return this.bytes.map(storedEventOf)[Symbol.iterator]();
  }
}
