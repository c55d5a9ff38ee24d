import { isAscii } from 'node:buffer';
import { type ByteString, textOf } from '../../../../event-sourcing/byte-string.js';
import type { Position, Revision, StoredEvent, StreamName } from '../../../../event-sourcing/recorded-event.js';
import type { EventBytes } from '../../../../event-sourcing/stream-page.js';
import type { Rows } from '../../../../postgres/rows.js';
import { OF_LOG, OF_STREAM, type TextColumns } from './queries.js';

export const bigintAt = (rows: Rows, row: number, column: number): bigint => BigInt(rows.ascii(row, column));

/** A row of a page of a stream, of which nothing is taken before it is asked for. */
export class EventRow implements EventBytes {
  readonly stream: StreamName;
  readonly #rows: Rows;
  readonly #row: number;

  constructor(rows: Rows, row: number, stream: StreamName) {
    this.#rows = rows;
    this.#row = row;
    this.stream = stream;
  }

  get id(): string {
    return this.#rows.byteString(this.#row, OF_STREAM.id);
  }

  get type(): string {
    return textOf(this.#rows.byteString(this.#row, OF_STREAM.type));
  }

  get revision(): Revision {
    return BigInt(this.#rows.byteString(this.#row, OF_STREAM.revision));
  }

  get position(): Position {
    return bigintAt(this.#rows, this.#row, OF_STREAM.position);
  }

  get data(): ByteString {
    return this.#rows.byteString(this.#row, OF_STREAM.data);
  }

  get metadata(): ByteString {
    return this.#rows.byteString(this.#row, OF_STREAM.metadata);
  }

  get dataSize(): number {
    return this.#rows.size(this.#row, OF_STREAM.data);
  }

  get metadataSize(): number {
    return this.#rows.size(this.#row, OF_STREAM.metadata);
  }

  get isAscii(): boolean {
    const { data, metadata } = OF_STREAM;
    return isAscii(this.#rows.value(this.#row, data)) && isAscii(this.#rows.value(this.#row, metadata));
  }
}

/** The event in a row of a page of the log; undefined for one that is not wanted. */
export const storedEventAt = (rows: Rows, row: number): StoredEvent | undefined =>
  rows.isNull(row, OF_LOG.stream)
    ? undefined
    : {
        id: rows.ascii(row, OF_LOG.id),
        type: rows.text(row, OF_LOG.type),
        data: rows.text(row, OF_LOG.data),
        metadata: rows.text(row, OF_LOG.metadata),
        stream: rows.text(row, OF_LOG.stream) as StreamName, // reason: the log takes no other names
        revision: bigintAt(rows, row, OF_LOG.revision),
        position: bigintAt(rows, row, OF_LOG.position),
      };

/** Bytes of the texts in a row, which are there. */
export const bytesAt = (rows: Rows, row: number, { data, metadata }: TextColumns): number =>
  rows.size(row, data) + rows.size(row, metadata);
