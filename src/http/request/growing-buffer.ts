const FIRST_BYTES = 4096;

/** Bytes that come in pieces, copied into one buffer: a Buffer of its own for each piece would take 100 bytes more. */
export class GrowingBuffer {
  readonly #limit: number;
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;

  /** Takes at most `limit` bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  /** False, and nothing taken, when there would be more bytes than the limit. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#limit) return false;
    // what comes in one piece, as most bodies do, is never copied
    if (this.#length === 0) this.#bytes = piece;
    else {
      this.#reserve(length);
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    return true;
  }

  filled(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(length: number): void {
    if (length <= this.#bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.min(this.#limit, Math.max(FIRST_BYTES, 2 * length)));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
