/** Writes byte strings one after the other: sooner than V8 joins them, and with nothing left to collect. */
export class ByteWriter {
  #bytes: Buffer;
  #length = 0;

  /** `estimated` bytes are room for what is expected; it grows where they are not enough. */
  constructor(estimated: number) {
    this.#bytes = Buffer.allocUnsafeSlow(estimated);
  }

  /** Writes a text of which each character is a byte. */
  write(text: string): void {
    const length = this.#length + text.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * length);
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    this.#bytes.write(text, this.#length, 'latin1');
    this.#length = length;
  }

  written(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}
