/**
 * One-dimensional arrays as Postgres receives them in binary (array_recv): about 0.3 µs an element of 500 bytes, where
 * the driver's array text takes 4 µs, and nothing to escape. The driver sends a Buffer as a binary parameter as it is.
 */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL = -1;

/** From pg_type.dat of the server. */
const oid = { bool: 16, bytea: 17, int8: 20, text: 25, uuid: 2950 };

const withHeader = (elementType: number, count: number, bytes: number, hasNulls = false): Buffer => {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + bytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(hasNulls ? 1 : 0, 4);
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  return buffer;
};

/** An array of elements that take `size` bytes each. */
const ofSize =
  <A>(elementType: number, size: number, write: (buffer: Buffer, value: A, at: number) => unknown) =>
  (values: ReadonlyArray<A>): Buffer => {
    const buffer = withHeader(elementType, values.length, values.length * size);
    let at = HEADER_BYTES;
    for (const value of values) {
      buffer.writeInt32BE(size, at);
      write(buffer, value, at + LENGTH_BYTES);
      at += LENGTH_BYTES + size;
    }
    return buffer;
  };

export const textArray = (values: ReadonlyArray<string | null>): Buffer => {
  let bytes = 0;
  for (const value of values) bytes += value === null ? 0 : Buffer.byteLength(value);
  const buffer = withHeader(oid.text, values.length, bytes, values.includes(null));
  let at = HEADER_BYTES;
  for (const value of values) {
    const written = value === null ? NULL : buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(written, at);
    at += LENGTH_BYTES + Math.max(0, written);
  }
  return buffer;
};

export const byteaArray = (values: ReadonlyArray<Buffer>): Buffer => {
  const bytes = values.reduce((sum, { length }) => sum + length, 0);
  const buffer = withHeader(oid.bytea, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(value.length, at);
    value.copy(buffer, at + LENGTH_BYTES);
    at += LENGTH_BYTES + value.length;
  }
  return buffer;
};

export const bigintArray = ofSize<bigint>(oid.int8, 8, (buffer, value, at) => buffer.writeBigInt64BE(value, at));

export const booleanArray = ofSize<boolean>(oid.bool, 1, (buffer, value, at) => buffer.writeUInt8(value ? 1 : 0, at));

/** Every value must satisfy `isUuid`. */
export const uuidArray = ofSize<string>(oid.uuid, 16, (buffer, value, at) =>
  buffer.write(value.replaceAll('-', ''), at, 'hex'),
);
