/** https://protobuf.dev/programming-guides/encoding/ */
const WIRE = { varint: 0, fixed64: 1, lengthDelimited: 2, fixed32: 5 } as const;

/** Above this a number is not exact any more when it is multiplied by 128. */
const EXACT = 2 ** 46;

/** Reads the fields of one message in the order in which they were sent. Throws what is no protobuf message. */
export class ProtobufReader {
  readonly #bytes: Buffer;
  #at = 0;
  #wireType: number = WIRE.varint;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Calls `onField` for each field up to `end`; it must read the field or skip it. */
  readFields(end: number, onField: (field: number) => void): void {
    while (this.#at < end) {
      const tag = this.#varint();
      this.#wireType = tag & 7;
      onField(tag >>> 3);
    }
    if (this.#at !== end) throw new Error('a field ends after its message');
  }

  /** The fields of a message inside this one. */
  readMessage(onField: (field: number) => void): void {
    this.readFields(this.#end(), onField);
  }

  text(): string {
    const end = this.#end();
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end;
    return text;
  }

  /** A part of the message, not copied. */
  bytes(): Buffer {
    const end = this.#end();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  uint64(): bigint {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return BigInt(value);
      factor *= 128;
      if (factor > EXACT) return BigInt(value) + BigInt(factor) * this.uint64();
    }
  }

  skip(): void {
    if (this.#wireType === WIRE.varint) this.uint64();
    else if (this.#wireType === WIRE.fixed64) this.#at += 8;
    else if (this.#wireType === WIRE.fixed32) this.#at += 4;
    else this.#at = this.#end();
  }

  /** Where a field with a length ends. */
  #end(): number {
    if (this.#wireType !== WIRE.lengthDelimited) throw new Error('a field is of another type');
    const length = this.#varint();
    if (this.#at + length > this.#bytes.length) throw new Error('a field ends after its message');
    return this.#at + length;
  }

  /** A tag or a length. */
  #varint(): number {
    let [value, factor] = [0, 1];
    for (;;) {
      const byte = this.#byte();
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }

  #byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new Error('a message ends within a field');
    this.#at += 1;
    return byte;
  }
}
