import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { StoredFile } from '../domain/document/events.js';

/** What an event says of the content of a file. */
export type ExpectedContent = Pick<StoredFile, 'size' | 'sha256'>;

/** How content differs from what its event says, and that in a sentence: numbers and hashes, never content. */
export type FileDifference = { readonly differs: 'size' | 'sha256'; readonly reason: string };

const differentSize = (found: string, { size }: ExpectedContent): FileDifference => ({
  differs: 'size',
  reason: `it has ${found} bytes, its event says ${size}`,
});

/** Compares content with what its event says, piece by piece, in bounded memory. */
export class FileCheck {
  readonly #expected: ExpectedContent;
  readonly #hash = createHash('sha256');
  #size = 0;

  constructor(expected: ExpectedContent) {
    this.#expected = expected;
  }

  /** Takes the next piece. The difference as soon as the content is longer; it is not to be read on then. */
  add(piece: Uint8Array): FileDifference | undefined {
    this.#size += piece.length;
    if (this.#size > this.#expected.size) return differentSize(`at least ${this.#size}`, this.#expected);
    this.#hash.update(piece);
    return undefined;
  }

  /** The difference of the whole, to be asked once, behind the last piece. */
  end(): FileDifference | undefined {
    if (this.#size < this.#expected.size) return differentSize(String(this.#size), this.#expected);
    const { sha256 } = this.#expected;
    const found = this.#hash.digest('hex');
    return found === sha256
      ? undefined
      : { differs: 'sha256', reason: `its SHA-256 is ${found}, its event says ${sha256}` };
  }
}

/** Reads content to its end, or to where it is found to differ, and gives the difference. Rejects with what `body` fails with. */
export const checkContent = async (body: Readable, expected: ExpectedContent): Promise<FileDifference | undefined> => {
  const check = new FileCheck(expected);
  // reason: a file is a byte stream; Readable itself is typed for objects too
  for await (const piece of body as AsyncIterable<Buffer>) {
    const difference = check.add(piece);
    if (difference !== undefined) return difference;
  }
  return check.end();
};
