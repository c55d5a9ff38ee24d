/** S3 takes parts of 5 MiB and more, the last excepted, and at most 10,000 of them: objects up to 78 GiB. */
export const PART_BYTES = 8 * 1024 * 1024;

const FIRST_BYTES = 64 * 1024;

/** Memory that doubles from little to a part's length: a small file takes little. */
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

  /** Takes what fits of `chunk`, and gives the rest back. */
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
 * Cuts a body into parts of `PART_BYTES`; the last may be shorter, and of an empty body it is empty. All parts lie in
 * the same memory: use up one before asking for the next.
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
