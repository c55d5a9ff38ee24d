import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';

class Exactly extends Transform {
  #left: number;

  constructor(length: number) {
    super();
    this.#left = length;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, next: TransformCallback): void {
    this.#left -= chunk.length;
    if (this.#left < 0) next(new Error('the object has more bytes than the range'));
    else next(null, chunk);
  }

  override _flush(next: TransformCallback): void {
    next(this.#left === 0 ? null : new Error('the object has fewer bytes than the range'));
  }
}

/**
 * The body; it fails unless it has `length` bytes, which `Content-Length` has promised: the client of a short one would
 * wait for the rest.
 */
export const exactly = (body: Readable, length: number): Readable =>
  pipeline(body, new Exactly(length), () => undefined);
