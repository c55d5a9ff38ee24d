import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';
import { errorCode } from '../error-code.js';
import { NoSuchObject, ObjectTooShort } from '../open-failure.js';
import type { ConnectedBucket } from './bucket.js';
import { retryRequest } from './retry-request.js';

/** Bytes of an object whose last one a server has given, of `bytes 5-9/10`; undefined of anything else. */
const lengthOf = (contentRange: string): number | undefined => {
  const [, last, length] = /^bytes \d+-(\d+)\/(\d+)$/.exec(contentRange) ?? [];
  return length !== undefined && Number(last) + 1 === Number(length) ? Number(length) : undefined;
};

/** A server may shorten a range that passes the object's end, or ignore the range; neither is what was asked for. */
const requireRange = (stream: Readable, { first, last }: ByteRange): void => {
  const given = stream instanceof IncomingMessage ? stream.headers['content-range'] : undefined;
  if (given?.startsWith(`bytes ${first}-${last}/`) === true) return;
  stream.destroy();
  const reason = `bytes ${first}-${last} were asked for, the server gave ${given ?? 'no range'}`;
  const length = given === undefined ? undefined : lengthOf(given);
  throw length !== undefined && length <= last ? new ObjectTooShort(reason) : new RangeError(reason);
};

/** The failures of a request that tell what the object is like, not how the server is. */
const asObjectError = (error: unknown): unknown => {
  switch (errorCode(error)) {
    case 'NoSuchKey':
    case 'NoSuchVersion':
      return new NoSuchObject('there is no such object', { cause: error });
    case 'InvalidRange':
      return new ObjectTooShort('the range begins beyond the end of the object', { cause: error });
    default:
      return error;
  }
};

/**
 * Resolves when the response has begun. Its connection is released, or closed, when the stream ends or is destroyed.
 * Of an object with several versions it is the newest, unless `version` names one. Throws `NoSuchObject` when the server says that it has none (a bucket that is gone is another failure),
 * `ObjectTooShort` when the object ends before `range` does, and when the server does not return exactly `range`.
 */
export const openObject = async (
  { runtime, client, name }: ConnectedBucket,
  key: string,
  range?: ByteRange,
  version?: string,
): Promise<Readable> => {
  const stream = await retryRequest(runtime, () =>
    range === undefined
      ? client.getObject(name, key, version === undefined ? {} : { versionId: version })
      : client.getPartialObject(name, key, range.first, range.last - range.first + 1),
  ).catch((error: unknown) => {
    throw asObjectError(error);
  });
  // the connection may fail before the caller listens, and an error without a listener ends the process;
  // a caller that reads later still gets the error
  stream.on('error', () => undefined);
  if (range !== undefined) requireRange(stream, range);
  return stream;
};
