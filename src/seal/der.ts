// As much of DER (X.690) as a request for a timestamp and its answer need.

/** An element, without what is within it. */
export type Element = { readonly tag: number; readonly content: Buffer };

const LONG = 0x80;
const MOST_LENGTH_BYTES = 3;

const lengthOf = (length: number): Buffer => {
  if (length < LONG) return Buffer.of(length);
  const bytes = Buffer.from(length.toString(16).padStart(6, '0'), 'hex');
  const significant = bytes.subarray(bytes.findIndex((byte) => byte !== 0));
  return Buffer.concat([Buffer.of(LONG | significant.length), significant]);
};

/** An element of these parts. */
export const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthOf(content.length), content]);
};

/** The elements one after the other; undefined where these bytes are no such elements. */
export const elementsIn = (bytes: Buffer): ReadonlyArray<Element> | undefined => {
  const found: Array<Element> = [];
  for (let at = 0; at < bytes.length;) {
    const [tag = 0, first] = bytes.subarray(at);
    if (first === undefined) return undefined;
    at += 2;
    let length = first;
    if (first >= LONG) {
      const count = first - LONG;
      if (count === 0 || count > MOST_LENGTH_BYTES || at + count > bytes.length) return undefined;
      length = bytes.readUIntBE(at, count);
      at += count;
    }
    if (at + length > bytes.length) return undefined;
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
};
