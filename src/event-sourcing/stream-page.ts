import type { StoredEvent } from './recorded-event.js';

/** An event as the store sent it: `data` and `metadata` are the bytes of the JSON texts, in valid UTF-8. */
export type EventBytes = Omit<StoredEvent, 'data' | 'metadata'> & { readonly data: Buffer; readonly metadata: Buffer };

/** The same event with the texts that its bytes stand for. */
export const storedEventOf = ({ id, type, data, metadata, stream, revision, position }: EventBytes): StoredEvent => ({
  id,
  type,
  data: data.toString(),
  metadata: metadata.toString(),
  stream,
  revision,
  position,
});

/**
 * Events of a stream in the order asked for. They stay bytes for who passes them on; who decodes them iterates over the
 * page, which makes the texts, anew each time.
 */
export class StreamPage implements Iterable<StoredEvent> {
  readonly bytes: ReadonlyArray<EventBytes>;

  constructor(bytes: ReadonlyArray<EventBytes>) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }

  [Symbol.iterator](): Iterator<StoredEvent> {
    return this.bytes.map(storedEventOf)[Symbol.iterator]();
  }
}
