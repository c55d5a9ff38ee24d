import { DIGEST_HEADERS } from '../../request/declared-digests.js';
import { isSentAsIs, parametersOf, typeOf } from '../../request/media-type.js';

const CRLF = '\r\n';
const END_OF_HEAD = CRLF + CRLF;

// The parser takes no longer header of a part, bytes.
const LONGEST_HEAD = 16 * 1024;

/** What the header of a part says of its content. */
export type PartHead = {
  /** The media type; undefined where there is none that can be read. */
  readonly type: string | undefined;
  /** The charset of a text, as it is declared. */
  readonly charset: string | undefined;
  /** How long it says that the content is, bytes; NaN where it says something else than a number. */
  readonly length: number | undefined;
  /** What it declares that is not obeyed here, as a sentence to follow the name of the part. */
  readonly fault: string | undefined;
};

const NOTHING: PartHead = { type: undefined, charset: undefined, length: undefined, fault: undefined };

const isEmpty = (value: string): boolean => value === '';

/** Whether a value of these headers leaves the bytes as they are. */
const IDENTITY: Readonly<Record<string, (value: string) => boolean>> = {
  'Content-Transfer-Encoding': isSentAsIs,
  'Content-Encoding': (value) => /^identity$/i.test(value),
  'Content-Range': isEmpty,
  ...Object.fromEntries(DIGEST_HEADERS.map((header) => [header, isEmpty])),
};

const headersOf = (head: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const headers = new Map<string, Array<string>>();
  // a line that begins with a blank goes on with the one before it (RFC 5322 §2.2.3)
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split(CRLF)) {
    const colon = line.indexOf(':');
    if (colon === -1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const values = headers.get(name);
    if (values === undefined) headers.set(name, [line.slice(colon + 1).trim()]);
    else values.push(line.slice(colon + 1).trim());
  }
  return headers;
};

const faultOf = (headers: ReadonlyMap<string, ReadonlyArray<string>>): string | undefined => {
  for (const [name, values] of headers)
    if (values.length > 1) return `must not have the header ${JSON.stringify(name.slice(0, 40))} twice`;
  for (const [name, isIdentity] of Object.entries(IDENTITY)) {
    const [value] = headers.get(name.toLowerCase()) ?? [];
    if (value !== undefined && !isIdentity(value))
      return `must be sent as it is, without the ${name} ${JSON.stringify(value.slice(0, 40).toLowerCase())}`;
  }
  const [disposition = ''] = headers.get('content-disposition') ?? [];
  // RFC 8187 §3.2.1: the parser takes other charsets for these
  const [, charset = 'utf-8'] = /name\*[ \t]*=[ \t]*"?([^'";]*)'/i.exec(disposition) ?? [];
  if (!/^(?:utf-8|iso-8859-1)$/i.test(charset)) return 'must have its name in UTF-8';
  // of several names the parser takes the first, without a word
  const names = (parametersOf(/;.*$/s.exec(disposition)?.[0] ?? '') ?? []).map(([name]) => name);
  return new Set(names).size === names.length ? undefined : 'must have each parameter of its Content-Disposition once';
};

const readHead = (bytes: Buffer): PartHead => {
  const headers = headersOf(bytes.toString('latin1'));
  const fault = faultOf(headers);
  const [announced] = headers.get('content-length') ?? [];
  const length = announced === undefined ? undefined : Number(/^\d+$/.exec(announced)?.[0]);
  const header = headers.get('content-type')?.[0] ?? '';
  const type = typeOf(header);
  if (type === undefined) return { ...NOTHING, length, fault };
  const parameters = parametersOf(header.slice(type.length));
  const [charset, ...others] = (parameters ?? []).filter(([name]) => /^charset\*?$/.test(name));
  const isReadable = parameters !== undefined && others.length === 0 && charset?.[0] !== 'charset*';
  return { type, charset: isReadable ? charset?.[1] : 'unreadable', length, fault };
};

/**
 * Looks at the parts of a form while its bytes go by, for what the parser leaves out without a word: a part whose header it
 * cannot read is skipped, and its content would be lost; of a part's media type it tells nothing where a parameter displeases
 * it; a text in a charset that it does not know is dropped.
 */
export class PartScan {
  readonly #delimiter: Buffer;
  // the first boundary may stand at the very beginning, where no line ends
  #rest: Buffer = Buffer.from(CRLF);
  readonly #head = Buffer.allocUnsafe(LONGEST_HEAD);
  /** How much has come of the header of the newest part; undefined when it is complete. */
  #headLength: number | undefined;
  #found = 0;
  /** How many bytes have come when `add` begins, without those that it will look at again. */
  #passed = 0;
  /** Where the content of the newest part begins. */
  #contentBegins = 0;
  readonly #heads: Array<PartHead> = [];
  #wrongLength: number | undefined;

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`${CRLF}--${boundary}`, 'latin1');
  }

  add(piece: Buffer): void {
    const bytes = Buffer.concat([this.#rest, piece]);
    let end = this.#headLength === undefined ? 0 : this.#rest.length;
    for (let at = bytes.indexOf(this.#delimiter); at !== -1; at = bytes.indexOf(this.#delimiter, end)) {
      this.#takeHead(bytes, end, Math.max(end, at));
      this.#takeLength(this.#passed + at - this.#contentBegins);
      this.#found += 1;
      this.#headLength = 0;
      end = at + this.#delimiter.length;
    }
    this.#takeHead(bytes, end, bytes.length);
    // what may be the beginning of the next one
    this.#rest = bytes.subarray(Math.max(end, bytes.length - this.#delimiter.length + 1));
    this.#passed += bytes.length - this.#rest.length;
  }

  #takeHead(bytes: Buffer, from: number, to: number): void {
    if (this.#headLength === undefined) return;
    const length = this.#headLength + bytes.copy(this.#head, this.#headLength, from, to);
    const end = this.#head.subarray(0, length).indexOf(END_OF_HEAD, Math.max(0, this.#headLength - END_OF_HEAD.length));
    this.#contentBegins = this.#passed + from + end + END_OF_HEAD.length - this.#headLength;
    this.#headLength = length;
    if (end === -1 && length < LONGEST_HEAD) return;
    this.#heads[this.#found - 1] = readHead(this.#head.subarray(0, end === -1 ? length : end));
    this.#headLength = undefined;
  }

  #takeLength(length: number): void {
    const announced = this.#heads[this.#found - 1]?.length;
    if (announced !== undefined && announced !== length) this.#wrongLength ??= this.#found - 1;
  }

  /** The index of a part whose content has another length than its header says; undefined while there is none. */
  get wrongLength(): number | undefined {
    return this.#wrongLength;
  }

  /** What the header of the part with this index says. */
  headOf(index: number): PartHead {
    return this.#heads[index] ?? NOTHING;
  }

  /** Of all delimiters the last one ends the form. */
  get parts(): number {
    return Math.max(0, this.#found - 1);
  }
}
