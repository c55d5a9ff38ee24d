import { type ByteString, bytesAsString } from '../event-sourcing/byte-string.js';

/**
 * Rows in the very bytes in which the server sent them, in Postgres's text format (for text: UTF-8). What is taken out of
 * them is a view of these bytes, and keeps them in memory.
 */
export class Rows {
  readonly bytes: Buffer;
  readonly count: number;
  readonly #columns: number;
  /** Of each column of each row where it starts and ends in `bytes`; -1 for null. */
  readonly #offsets: ReadonlyArray<number>;
  #byteString: ByteString | undefined;

  constructor(bytes: Buffer, columns: number, offsets: ReadonlyArray<number>) {
    this.bytes = bytes;
    this.#columns = columns;
    this.#offsets = offsets;
    this.count = columns === 0 ? 0 : offsets.length / (2 * columns);
  }

  /** Where a value starts in `bytes`; -1 when it is null. */
  start(row: number, column: number): number {
    return this.#offsets[2 * (row * this.#columns + column)] ?? -1;
  }

  /** Where a value ends in `bytes`, exclusive. */
  end(row: number, column: number): number {
    return this.#offsets[2 * (row * this.#columns + column) + 1] ?? -1;
  }

  isNull(row: number, column: number): boolean {
    return this.start(row, column) < 0;
  }

  /** The bytes of a value that is not null. */
  value(row: number, column: number): Buffer {
    return this.bytes.subarray(this.start(row, column), this.end(row, column));
  }

  /** The bytes of a value that is not null. All rows share one string, of which this is a slice. */
  byteString(row: number, column: number): ByteString {
    this.#byteString ??= bytesAsString(this.bytes);
    // reason: a slice of a ByteString is one
    return this.#byteString.slice(this.start(row, column), this.end(row, column)) as ByteString;
  }

  /** The text of a value that is not null. */
  text(row: number, column: number): string {
    return this.bytes.toString('utf8', this.start(row, column), this.end(row, column));
  }

  /** The text of a value that is not null and ASCII: a number, a UUID, the name of a type. */
  ascii(row: number, column: number): string {
    return this.bytes.toString('latin1', this.start(row, column), this.end(row, column));
  }
}

// https://www.postgresql.org/docs/17/protocol-message-formats.html
const DATA_ROW = 0x44;
const BIND_COMPLETE = 0x32;
const COMMAND_COMPLETE = 0x43;
const READY_FOR_QUERY = 0x5a;
const CODE_BYTES = 1;
const HEAD_BYTES = 5;
const COLUMNS_BYTES = 2;
const LENGTH_BYTES = 4;

/** Finds the rows in what the server answers to one statement. */
export class RowReader {
  #bytes: Buffer = Buffer.alloc(0);
  #filled = 0;
  /** Where the first message begins that is not complete yet. */
  #at = 0;
  #columns = 0;
  readonly #offsets: Array<number> = [];

  /**
   * Takes what came from the socket. Messages that are no rows go to `driver`. Gives what the driver has to read itself
   * from then on, once the statement is over: `ReadyForQuery` and what follows it.
   */
  take(chunk: Buffer, driver: (message: Buffer) => void): Buffer | undefined {
    this.#append(chunk);
    const bytes = this.#bytes;
    while (this.#at + HEAD_BYTES <= this.#filled) {
      const at = this.#at;
      const code = bytes[at];
      if (code === READY_FOR_QUERY) return bytes.subarray(at, this.#filled);
      const end = at + CODE_BYTES + bytes.readInt32BE(at + CODE_BYTES);
      if (end > this.#filled) break;
      this.#at = end;
      if (code === DATA_ROW) this.#readRow(at + HEAD_BYTES);
      else if (code !== BIND_COMPLETE && code !== COMMAND_COMPLETE) driver(bytes.subarray(at, end));
    }
    return undefined;
  }

  rows(): Rows {
    return new Rows(this.#bytes.subarray(0, this.#filled), this.#columns, this.#offsets);
  }

  /** Answers mostly come in one chunk, which is not copied. */
  #append(chunk: Buffer): void {
    const filled = this.#filled + chunk.length;
    if (this.#filled === 0) this.#bytes = chunk;
    else {
      if (filled > this.#bytes.length) {
        const grown = Buffer.allocUnsafeSlow(2 * filled);
        this.#bytes.copy(grown, 0, 0, this.#filled);
        this.#bytes = grown;
      }
      chunk.copy(this.#bytes, this.#filled);
    }
    this.#filled = filled;
  }

  #readRow(from: number): void {
    const bytes = this.#bytes;
    this.#columns = bytes.readUInt16BE(from);
    let at = from + COLUMNS_BYTES;
    for (let column = 0; column < this.#columns; column += 1) {
      const length = bytes.readInt32BE(at);
      at += LENGTH_BYTES;
      if (length < 0) this.#offsets.push(-1, -1);
      else {
        this.#offsets.push(at, at + length);
        at += length;
      }
    }
  }
}
