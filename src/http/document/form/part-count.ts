const CRLF = '\r\n';

/** The boundary that a form's media type names (RFC 2046 §5.1.1); undefined when it names none. */
const boundaryOf = (contentType: string): string | undefined => {
  const [, quoted, token] = /;[ \t]*boundary=(?:"([^"]*)"|([^\s;"]*))/i.exec(contentType) ?? [];
  return quoted ?? token;
};

/**
 * Counts the parts of a form while its bytes go by: the parser silently skips a part whose headers it cannot read, and
 * its content would be lost.
 */
export class PartCount {
  readonly #delimiter: Buffer;
  // the first boundary may stand at the very beginning, where no line ends
  #rest: Buffer = Buffer.from(CRLF);
  #found = 0;

  constructor(contentType: string) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundaryOf(contentType) ?? ''}`, 'latin1');
  }

  add(piece: Buffer): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    let at = bytes.indexOf(this.#delimiter);
    let end = 0;
    while (at !== -1) {
      this.#found += 1;
      end = at + this.#delimiter.length;
      at = bytes.indexOf(this.#delimiter, end);
    }
    // what may be the beginning of the next one
    this.#rest = bytes.subarray(Math.max(end, bytes.length - this.#delimiter.length + 1));
  }

  /** Of all delimiters the last one ends the form. */
  get parts(): number {
    return Math.max(0, this.#found - 1);
  }
}
