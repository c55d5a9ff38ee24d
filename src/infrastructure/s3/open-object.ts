import { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../../read/get-file.js';
import type { Bucket } from './bucket.js';
import { repeating } from './repeating.js';

const ignore = (): void => undefined;

/** Servers cut a range off at the object's end, or ignore it; either would pass for the bytes asked for. */
const requireRange = (stream: Readable, { first, last }: ByteRange): void => {
  const answered = stream instanceof IncomingMessage ? stream.headers['content-range'] : undefined;
  if (answered?.startsWith(`bytes ${first}-${last}/`) === true) return;
  stream.destroy();
  throw new RangeError(`bytes ${first}-${last} were asked for, the server gave ${answered ?? 'no range'}`);
};

/** Opens before it answers; the connection is free again, or ended, when the stream ends or is destroyed. */
export const openObject = async ({ client, name }: Bucket, key: string, range?: ByteRange): Promise<Readable> => {
  const stream = await repeating(() =>
    range === undefined
      ? client.getObject(name, key)
      : client.getPartialObject(name, key, range.first, range.last - range.first + 1),
  );
  // the connection may fail before the caller listens; who reads then is still told
  stream.on('error', ignore);
  if (range !== undefined) requireRange(stream, range);
  return stream;
};
