import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

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

/** A body of `size` bytes that counts how many have been read from it. */
export const bodyOf = (size: number): { readonly body: Readable; readonly pulled: () => number } => {
  let pulled = 0;
  const counted = function* () {
    for (const chunk of chunks(size)) {
      pulled += chunk.length;
      yield chunk;
    }
  };
  return { body: Readable.from(counted(), { objectMode: false, highWaterMark: CHUNK }), pulled: () => pulled };
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
