/**
 * Bytes of a part. S3 requires at least 5 MiB, except for the last part, and takes at most 10,000 parts: an object may
 * have 78 GiB. https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html
 */
export const PART_BYTES = 8 * 1024 * 1024;

const FIRST_BYTES = 64 * 1024;

/** A buffer that doubles as it fills, up to the length of a part: a small file takes little memory. */
class Part {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  get isFull(): boolean {
    return this.#length === PART_BYTES;
  }

  get filled(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  empty(): void {
    this.#length = 0;
  }

  /** Takes what fits of `chunk` and returns the rest. */
  take(chunk: Uint8Array): Uint8Array {
    const taken = chunk.subarray(0, PART_BYTES - this.#length);
    this.#reserve(this.#length + taken.length);
    this.#bytes.set(taken, this.#length);
    this.#length += taken.length;
    return chunk.subarray(taken.length);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(PART_BYTES, Math.max(length, 2 * this.#bytes.length)));
    larger.set(this.filled);
    this.#bytes = larger;
  }
}

/**
 * Cuts a body into parts of `PART_BYTES`. The last part may be shorter; an empty body is one empty part. All parts share
 * one buffer: be done with a part before asking for the next.
 */
export async function* partsOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void> {
  const part = new Part();
  let count = 0;
  for await (const chunk of chunks) {
    for (let rest = chunk; rest.length > 0;) {
      rest = part.take(rest);
      if (!part.isFull) continue;
      yield part.filled;
      count += 1;
      part.empty();
    }
  }
  if (part.filled.length > 0 || count === 0) yield part.filled;
}
