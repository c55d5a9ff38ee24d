import type { ByteString } from '../event-sourcing/byte-string.js';

/**
 * Rows in the very bytes in which the server sent them, in Postgres's text format (for text: UTF-8). What is taken out of
 * them is a view of these bytes, and keeps them in memory.
 */
export class Rows {
  readonly #columns: number;
  /** Of each row, the bytes that it is in; those that came together are in the same. */
  readonly #bytes: ReadonlyArray<Buffer>;
  /** Of each column of each row where it starts and ends in these; -1 for null. */
  readonly #offsets: ReadonlyArray<number>;
  /** The row of which a text was made last, and this text: who reads rows reads all values of one before the next. */
  #row = -1;
  #text = '';
  #textStart = 0;

  constructor(columns: number, bytes: ReadonlyArray<Buffer>, offsets: ReadonlyArray<number>) {
    this.#columns = columns;
    this.#bytes = bytes;
    this.#offsets = offsets;
  }

  get count(): number {
    return this.#bytes.length;
  }

  isNull(row: number, column: number): boolean {
    return this.#start(row, column) < 0;
  }

  /** How many bytes a value has; 0 when it is null. */
  size(row: number, column: number): number {
    return this.#end(row, column) - this.#start(row, column);
  }

  /** The bytes of a value that is not null. */
  value(row: number, column: number): Buffer {
    return this.#bytesOf(row).subarray(this.#start(row, column), this.#end(row, column));
  }

  /** Copies the bytes of a value that is not null to `at` in `target`; gives their number. */
  copy(row: number, column: number, target: Buffer, at: number): number {
    return this.#bytesOf(row).copy(target, at, this.#start(row, column), this.#end(row, column));
  }

  /** The bytes of a value that is not null: a slice of one text for all values of its row. */
  byteString(row: number, column: number): ByteString {
    if (this.#row !== row) this.#makeText(row);
    const from = this.#textStart;
    // reason: the text is one of bytes
    return this.#text.slice(this.#start(row, column) - from, this.#end(row, column) - from) as ByteString;
  }

  /** The text of a value that is not null. */
  text(row: number, column: number): string {
    return this.#bytesOf(row).toString('utf8', this.#start(row, column), this.#end(row, column));
  }

  /** The text of a value that is not null and ASCII: a number, a UUID, the name of a type. */
  ascii(row: number, column: number): string {
    return this.#bytesOf(row).toString('latin1', this.#start(row, column), this.#end(row, column));
  }

  #bytesOf(row: number): Buffer {
    const bytes = this.#bytes[row];
    if (bytes === undefined) throw new RangeError(`there is no row ${row}`);
    return bytes;
  }

  #start(row: number, column: number): number {
    return this.#offsets[2 * (row * this.#columns + column)] ?? -1;
  }

  #end(row: number, column: number): number {
    return this.#offsets[2 * (row * this.#columns + column) + 1] ?? -1;
  }

  #makeText(row: number): void {
    let [first, last] = [0, this.#columns - 1];
    while (first < last && this.isNull(row, first)) first += 1;
    while (first < last && this.isNull(row, last)) last -= 1;
    this.#textStart = this.#start(row, first);
    this.#text = this.#bytesOf(row).toString('latin1', this.#textStart, this.#end(row, last));
    this.#row = row;
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

const NOTHING: Buffer = Buffer.alloc(0);

/** Finds the rows in what the server answers to one statement. Only what comes in parts is copied. */
export class RowReader {
  /** The beginning of a message whose length has not come yet. */
  #head = NOTHING;
  /** A message of which part has come: so many bytes. */
  #message: Buffer | undefined;
  #filled = 0;
  #columns = 0;
  readonly #bytes: Array<Buffer> = [];
  readonly #offsets: Array<number> = [];

  /**
   * Takes what came from the socket. Messages that are no rows go to `driver`. Gives what the driver has to read itself
   * from then on, once the statement is over: `ReadyForQuery` and what follows it.
   */
  take(chunk: Buffer, driver: (message: Buffer) => void): Buffer | undefined {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    this.#head = NOTHING;
    for (let at = this.#complete(bytes, driver); at < bytes.length;) {
      if (bytes[at] === READY_FOR_QUERY) return bytes.subarray(at);
      if (at + HEAD_BYTES > bytes.length) {
        this.#head = bytes.subarray(at);
        return undefined;
      }
      const end = at + CODE_BYTES + bytes.readInt32BE(at + CODE_BYTES);
      if (end > bytes.length) {
        this.#message = Buffer.allocUnsafe(end - at);
        this.#filled = bytes.copy(this.#message, 0, at);
        return undefined;
      }
      this.#read(bytes, at, end, driver);
      at = end;
    }
    return undefined;
  }

  rows(): Rows {
    return new Rows(this.#columns, this.#bytes, this.#offsets);
  }

  /** Adds to the message of which part has come, if there is one; gives how many bytes of these belong to it. */
  #complete(bytes: Buffer, driver: (message: Buffer) => void): number {
    const message = this.#message;
    if (message === undefined) return 0;
    const taken = bytes.copy(message, this.#filled);
    this.#filled += taken;
    if (this.#filled === message.length) {
      this.#message = undefined;
      this.#read(message, 0, message.length, driver);
    }
    return taken;
  }

  /** Reads a whole message. */
  #read(bytes: Buffer, at: number, end: number, driver: (message: Buffer) => void): void {
    const code = bytes[at];
    if (code === DATA_ROW) this.#readRow(bytes, at + HEAD_BYTES);
    else if (code !== BIND_COMPLETE && code !== COMMAND_COMPLETE) driver(bytes.subarray(at, end));
  }

  #readRow(bytes: Buffer, from: number): void {
    this.#bytes.push(bytes);
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
