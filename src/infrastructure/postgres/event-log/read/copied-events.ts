import type { StoredEvent, StreamName } from '../../../../event-sourcing/recorded-event.js';

/**
 * Layout: https://www.postgresql.org/docs/17/sql-copy.html (19 bytes of header, then for each row a count of columns in
 * 2 bytes and for each column its length in 4 and its bytes; at the end a count of -1).
 */
const HEADER_BYTES = 19;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
const COLUMNS = 7;

/** The columns of a copied event, in this order; none of them is ever null. */
export const COPIED_COLUMNS = 'stream, revision, position, id, type, data, metadata';

const uuidAt = (bytes: Buffer, at: number): string => {
  const hex = bytes.toString('hex', at, at + 16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Where the row that begins at `at` ends; undefined while some of it is missing. */
const endOfRow = (bytes: Buffer, at: number): number | undefined => {
  let end = at + COUNT_BYTES;
  for (let column = 0; column < COLUMNS; column += 1) {
    if (end + LENGTH_BYTES > bytes.length) return undefined;
    end += LENGTH_BYTES + bytes.readInt32BE(end);
  }
  return end <= bytes.length ? end : undefined;
};

const eventAt = (bytes: Buffer, at: number): StoredEvent => {
  let end = at + COUNT_BYTES;
  const next = (): number => {
    const start = end + LENGTH_BYTES;
    end = start + bytes.readInt32BE(end);
    return start;
  };
  const text = (): string => {
    const start = next();
    return bytes.toString('utf8', start, end);
  };
  // reason: the log takes no other names
  const stream = text() as StreamName;
  const revision = bytes.readBigInt64BE(next());
  const position = bytes.readBigInt64BE(next());
  const id = uuidAt(bytes, next());
  return { stream, revision, position, id, type: text(), data: text(), metadata: text() };
};

/** Reads `COPY (select <COPIED_COLUMNS>) TO STDOUT (FORMAT binary)` as it comes, in chunks cut anywhere. */
export const makeCopiedEvents = (): ((chunk: Buffer) => ReadonlyArray<StoredEvent>) => {
  let rest: Buffer = Buffer.alloc(0);
  let hasHeader = false;

  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const events: Array<StoredEvent> = [];
    let at = 0;
    if (!hasHeader && bytes.length >= HEADER_BYTES) [hasHeader, at] = [true, HEADER_BYTES];
    while (hasHeader && at + COUNT_BYTES <= bytes.length && bytes.readInt16BE(at) === COLUMNS) {
      const end = endOfRow(bytes, at);
      if (end === undefined) break;
      events.push(eventAt(bytes, at));
      at = end;
    }
    rest = bytes.subarray(at);
    return events;
  };
};
