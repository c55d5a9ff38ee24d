declare const bytes: unique symbol;

/**
 * A text with a character for each byte of its UTF-8 (the ByteString of WebIDL). Stored texts that are passed on stay in
 * this form: V8 cuts and joins strings in less time than Buffers, of which each operation is a call out of JavaScript.
 */
export type ByteString = string & { readonly [bytes]: true };

/** A text in ASCII is its own ByteString. To count its bytes takes a tenth of what a regular expression takes. */
export const isAsciiText = (text: string): text is ByteString => Buffer.byteLength(text) === text.length;

// reason: latin1 has a character for each byte
export const bytesAsString = (buffer: Buffer, start?: number, end?: number): ByteString =>
  buffer.toString('latin1', start, end) as ByteString;

export const byteStringOf = (text: string): ByteString => (isAsciiText(text) ? text : bytesAsString(Buffer.from(text)));

/** The text whose UTF-8 it is. */
export const textOf = (byteString: ByteString): string =>
  isAsciiText(byteString) ? byteString : Buffer.from(byteString, 'latin1').toString();
