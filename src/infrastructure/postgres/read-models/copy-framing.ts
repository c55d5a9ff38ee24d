/**
 * Turns the bytes of `COPY (select <one JSON text>) TO STDOUT (FORMAT binary)`, as they come off the socket, into one
 * JSON array without copying: every byte of framing is overwritten in place by a bracket, a comma or white space, and what
 * stands before the first row is left out but for the bracket.
 * Neither Postgres nor this process scans or escapes the rows.
 *
 * Layout: https://www.postgresql.org/docs/17/protocol-message-formats.html (messages: code, length, payload) and
 * https://www.postgresql.org/docs/17/sql-copy.html (payload: 19 bytes of header, then for each row a count of columns
 * in 2 bytes, the length in 4 and the text; at the end a count of -1).
 */
type CopyFraming = {
  /**
   * The bytes of the array within `chunk`, and the messages that follow the copy (its end, or an error), which belong
   * to the driver. No row may be null.
   */
  readonly take: (chunk: Buffer) => { readonly json: Buffer; readonly rest?: Buffer };
  /** Whether the server has begun to send rows. */
  readonly hasStarted: () => boolean;
};

const SPACE = 0x20;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;
const COPY_DATA = 0x64;
const COPY_OUT = 0x48;
/** Copy data, its beginning, and what the server may say in between: notices, parameters, notifications. */
const OURS: ReadonlySet<number> = new Set(Buffer.from('dHNSA'));
const COPY_HEADER_BYTES = 19;
const LENGTH_BYTES = 4;
const ROW_HEAD_BYTES = 6;
const END_OF_ROWS = 0xff;

/** The framing inside the payloads: the header, and what stands before each row. `onOpen` is told where the array begins. */
const makeRows = (onOpen: (at: number) => void) => {
  let header = COPY_HEADER_BYTES;
  let headSeen = 0;
  let length = 0;
  let textLeft = 0;
  /** What goes before the next text. */
  let separator: number = OPEN;
  let ended = false;

  const overwriteEnd = (): number => (separator === OPEN ? OPEN : SPACE);

  /** The last byte of a head becomes the separator, so that nothing is between it and the text. */
  const overwriteHead = (byte: number): number => {
    headSeen += 1;
    // the count of -1 has two bytes, enough for the brackets of an empty array
    if (ended) return headSeen === 2 ? CLOSE : SPACE;
    if (headSeen === 1) {
      ended = byte === END_OF_ROWS;
      return ended ? overwriteEnd() : SPACE;
    }
    if (headSeen > 2) length = length * 256 + byte;
    if (headSeen < ROW_HEAD_BYTES) return SPACE;
    const before = separator;
    [headSeen, textLeft, length, separator] = [0, length, 0, COMMA];
    return before;
  };

  return (chunk: Buffer, from: number, to: number): void => {
    let at = from;
    while (at < to) {
      if (textLeft > 0) {
        const bytes = Math.min(textLeft, to - at);
        textLeft -= bytes;
        at += bytes;
      } else if (header > 0) {
        header -= 1;
        chunk.writeUInt8(SPACE, at++);
      } else {
        const byte = overwriteHead(chunk.readUInt8(at));
        if (byte === OPEN) onOpen(at);
        chunk.writeUInt8(byte, at++);
      }
    }
  };
};

export const makeCopyFraming = (): CopyFraming => {
  let isOpen = false;
  let beginsAt = 0;
  const overwriteRows = makeRows((at) => {
    [isOpen, beginsAt] = [true, at];
  });
  let code: number | undefined;
  let lengthSeen = 0;
  let length = 0;
  let payloadLeft = 0;
  let started = false;

  const beginMessage = (byte: number): number => {
    [code, lengthSeen, length] = [byte, 0, 0];
    started ||= byte === COPY_OUT;
    return SPACE;
  };

  const overwriteLength = (byte: number): number => {
    lengthSeen += 1;
    length = length * 256 + byte;
    if (lengthSeen === LENGTH_BYTES) payloadLeft = length - LENGTH_BYTES;
    if (lengthSeen === LENGTH_BYTES && payloadLeft === 0) code = undefined;
    return SPACE;
  };

  const overwritePayload = (chunk: Buffer, at: number): number => {
    const end = Math.min(chunk.length, at + payloadLeft);
    if (code === COPY_DATA) overwriteRows(chunk, at, end);
    else chunk.fill(' ', at, end);
    payloadLeft -= end - at;
    if (payloadLeft === 0) code = undefined;
    return end;
  };

  /** What is of the array in a chunk up to `end`: nothing before its bracket. */
  const arrayIn = (chunk: Buffer, end: number): Buffer => {
    const json = isOpen ? chunk.subarray(beginsAt, end) : chunk.subarray(0, 0);
    beginsAt = 0;
    return json;
  };

  return {
    hasStarted: () => started,
    take: (chunk) => {
      let at = 0;
      while (at < chunk.length) {
        if (payloadLeft > 0) {
          at = overwritePayload(chunk, at);
          continue;
        }
        const byte = chunk.readUInt8(at);
        if (code === undefined && !OURS.has(byte)) return { json: arrayIn(chunk, at), rest: chunk.subarray(at) };
        const overwritten = code === undefined ? beginMessage(byte) : overwriteLength(byte);
        chunk.writeUInt8(overwritten, at++);
      }
      return { json: arrayIn(chunk, chunk.length) };
    },
  };
};
