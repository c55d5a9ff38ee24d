const CRLF = '\r\n';
const END_OF_HEAD = Buffer.from(CRLF + CRLF);

// The parser takes no longer header of a part, bytes.
const LONGEST_HEAD = 16 * 1024;

const CHARSET = /^content-type:[^\r\n]*;[ \t]*charset=[ \t]*"?([^";\s]*)/im;

/**
 * Looks at the parts of a form while its bytes go by, for what the parser leaves out without a word: a part whose header it
 * cannot read is skipped, and its content would be lost; the charset of a text is not told, and one that the parser does
 * not know takes the text away.
 */
export class PartScan {
  readonly #delimiter: Buffer;
  // the first boundary may stand at the very beginning, where no line ends
  #rest: Buffer = Buffer.from(CRLF);
  /** What has come of the header of the newest part; undefined when it is complete. */
  #head: Buffer | undefined;
  #found = 0;
  readonly #charsets: Array<string | undefined> = [];

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  }

  add(piece: Buffer): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    let end = this.#head === undefined ? 0 : this.#rest.length;
    for (let at = bytes.indexOf(this.#delimiter); at !== -1; at = bytes.indexOf(this.#delimiter, end)) {
      this.#readHead(bytes.subarray(end, Math.max(end, at)));
      this.#found += 1;
      this.#head = Buffer.alloc(0);
      end = at + this.#delimiter.length;
    }
    this.#readHead(bytes.subarray(end));
    // what may be the beginning of the next one
    this.#rest = bytes.subarray(Math.max(end, bytes.length - this.#delimiter.length + 1));
  }

  #readHead(bytes: Buffer): void {
    if (this.#head === undefined) return;
    this.#head = Buffer.concat([this.#head, bytes.subarray(0, LONGEST_HEAD - this.#head.length)]);
    if (!this.#head.includes(END_OF_HEAD) && this.#head.length < LONGEST_HEAD) return;
    this.#charsets[this.#found - 1] = CHARSET.exec(this.#head.toString('latin1'))?.[1];
    this.#head = undefined;
  }

  /** The charset that the header of the part with this index declares; undefined when it declares none. */
  charsetOf(index: number): string | undefined {
    return this.#charsets[index];
  }

  /** Of all delimiters the last one ends the form. */
  get parts(): number {
    return Math.max(0, this.#found - 1);
  }
}
