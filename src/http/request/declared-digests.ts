import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { requestInvalid, type RequestInvalid } from '../problem/failure.js';
import type { Fault } from '../problem/problem.js';
import { listElements } from './list-elements.js';

/** Those that are checked, by their names in the registry of RFC 9530 §7.2. */
const ALGORITHMS: Readonly<Record<string, string>> = { 'sha-512': 'sha512', 'sha-256': 'sha256', md5: 'md5' };

// RFC 9530 §2: a dictionary of byte sequences, which may have parameters
const MEMBER = /^(?<name>[a-z*][a-z\d_.*-]*)=:(?<digest>[A-Za-z\d+/]*={0,2}):(?:;.*)?$/;

/** How each header writes a digest of the body. */
const SHAPES: Readonly<Record<string, RegExp>> = {
  'Content-Digest': MEMBER,
  // of the whole, which a body always is
  'Repr-Digest': MEMBER,
  // RFC 3230 §4.3.2
  Digest: /^(?<name>[\w-]+)=(?<digest>[A-Za-z\d+/]+={0,2})$/,
  // RFC 1864
  'Content-MD5': /^(?<digest>[A-Za-z\d+/]{22}==)$/,
};

/** The headers that declare a digest of a body. */
export const DIGEST_HEADERS = Object.keys(SHAPES);

type Digest = { readonly header: string; readonly algorithm: string; readonly expected: Buffer };

type Declared = { readonly digests: ReadonlyArray<Digest>; readonly faults: ReadonlyArray<Fault> };

/** The digests of a header that can be checked; undefined where one cannot be read, or there are none. */
const readHeader = (header: string, shape: RegExp, value: string): ReadonlyArray<Digest> | undefined => {
  const members = listElements(value).map((member) => member.trim());
  const read = members.filter((member) => member !== '').map((member) => shape.exec(member)?.groups);
  const digests = read.flatMap(({ name = 'md5', digest = '' } = {}) => {
    const algorithm = ALGORITHMS[name.toLowerCase()];
    return algorithm === undefined ? [] : [{ header, algorithm, expected: Buffer.from(digest, 'base64') }];
  });
  return read.includes(undefined) || digests.length === 0 ? undefined : digests;
};

/** What the headers of a request declare of its body's bytes, and why it cannot be checked where that is so. */
const declaredIn = (headers: IncomingHttpHeaders): Declared => {
  const digests: Array<Digest> = [];
  const faults: Array<Fault> = [];
  for (const [header, shape] of Object.entries(SHAPES)) {
    const value = headers[header.toLowerCase()];
    if (value === undefined) continue;
    const read = readHeader(header, shape, String(value));
    if (read === undefined) faults.push({ path: header, message: 'must have a digest that can be read and checked' });
    else digests.push(...read);
  }
  return { digests, faults };
};

/** The headers that declare a digest of the body by which it cannot be checked. */
export const digestFaults = (headers: IncomingHttpHeaders): ReadonlyArray<Fault> => declaredIn(headers).faults;

/** Holds a body against the digests that its request declares. */
export class DigestCheck {
  readonly #digests: ReadonlyArray<Digest>;
  readonly #hashes;

  constructor(headers: IncomingHttpHeaders) {
    this.#digests = declaredIn(headers).digests;
    this.#hashes = new Map(this.#digests.map(({ algorithm }) => [algorithm, createHash(algorithm)]));
  }

  /** To be called with each piece of the body. */
  add(piece: Buffer): void {
    for (const hash of this.#hashes.values()) hash.update(piece);
  }

  /** To be called once, after the last piece: which headers do not fit the body; undefined where all of them do. */
  fault(): RequestInvalid | undefined {
    const found = new Map([...this.#hashes].map(([algorithm, hash]) => [algorithm, hash.digest()]));
    const wrong = this.#digests.filter(({ algorithm, expected }) => found.get(algorithm)?.equals(expected) !== true);
    const headers = [...new Set(wrong.map(({ header }) => header))];
    return headers.length === 0
      ? undefined
      : requestInvalid(...headers.map((path) => ({ path, message: 'is not the digest of the body' })));
  }
}
