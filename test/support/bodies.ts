import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { makeNews } from './news.js';

const CHUNK = 64 * 1024;

/** `size` bytes that repeat nowhere near a chunk's or a part's length, in chunks made as they are asked for. */
function* chunks(size: number): Generator<Buffer, void> {
  for (let start = 0; start < size; start += CHUNK) {
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK, size - start));
    for (let index = 0; index < chunk.length; index += 1) chunk[index] = (start + index) % 251;
    yield chunk;
  }
}

export const contentOf = (size: number): Buffer => Buffer.concat([...chunks(size)]);

type CountedBody = {
  readonly body: Readable;
  /** How many bytes have been read from it. */
  readonly pulled: () => number;
  /** Resolves when more than so many have been. */
  readonly untilPulled: (bytes: number) => Promise<void>;
};

/** A body of `size` bytes. */
export const bodyOf = (size: number): CountedBody => {
  let pulled = 0;
  const news = makeNews();
  const counted = function* () {
    for (const chunk of chunks(size)) {
      pulled += chunk.length;
      news.tell();
      yield chunk;
    }
  };
  return {
    body: Readable.from(counted(), { objectMode: false, highWaterMark: CHUNK }),
    pulled: () => pulled,
    untilPulled: (bytes) => news.until(() => pulled > bytes),
  };
};

/** A body that gives `size` bytes and then fails. */
export const failingBody = (size: number, failure: Error): Readable =>
  Readable.from(
    (function* () {
      yield* chunks(size);
      throw failure;
    })(),
    { objectMode: false },
  );

export const digestOf = async (body: AsyncIterable<unknown>): Promise<{ size: number; sha256: string }> => {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest('hex') };
};

export const bytesOf = async (body: AsyncIterable<unknown>): Promise<Buffer> => {
  const read: Array<Buffer> = [];
  for await (const chunk of body as AsyncIterable<Buffer>) read.push(chunk);
  return Buffer.concat(read);
};
