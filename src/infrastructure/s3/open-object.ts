import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';
import type { Bucket } from './bucket.js';
import { retryRequest } from './retry-request.js';

/** A server may shorten a range that passes the object's end, or ignore the range; neither is what was asked for. */
const requireRange = (stream: Readable, { first, last }: ByteRange): void => {
  const given = stream instanceof IncomingMessage ? stream.headers['content-range'] : undefined;
  if (given?.startsWith(`bytes ${first}-${last}/`) === true) return;
  stream.destroy();
  throw new RangeError(`bytes ${first}-${last} were asked for, the server gave ${given ?? 'no range'}`);
};

/**
 * Resolves when the response has begun. Its connection is released, or closed, when the stream ends or is destroyed.
 * Throws when the server does not return exactly `range`.
 */
export const openObject = async ({ client, name }: Bucket, key: string, range?: ByteRange): Promise<Readable> => {
  const stream = await retryRequest(() =>
    range === undefined
      ? client.getObject(name, key)
      : client.getPartialObject(name, key, range.first, range.last - range.first + 1),
  );
  // the connection may fail before the caller listens, and an error without a listener ends the process;
  // a caller that reads later still gets the error
  stream.on('error', () => undefined);
  if (range !== undefined) requireRange(stream, range);
  return stream;
};
