import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { either as E } from 'fp-ts';
import { fileTypeFromBuffer } from 'file-type';
import type { StoredFile } from '../../domain/document/events.js';
import type { ObjectStorage, StorageUnavailable, UploadAborted } from '../ports.js';
import { newFileKey } from './file-key.js';

export type Upload = {
  readonly body: Readable;
  /** Base name as the client gave it, already cleaned; display only. */
  readonly originalName: string;
  /** Media type as the client declared it, if it did. */
  readonly declaredType: string | undefined;
};

export type Stored = E.Either<StorageUnavailable | UploadAborted, StoredFile>;

const FALLBACK_TYPE = 'application/octet-stream';

// file-type needs no more than these first bytes.
const SNIFFED_BYTES = 4100;

class Measure extends Transform {
  readonly #hash = createHash('sha256');
  // A copy: a chunk's memory may be reused once it has been written.
  readonly #head = Buffer.allocUnsafe(SNIFFED_BYTES);
  size = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, next: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    if (this.size < SNIFFED_BYTES) chunk.copy(this.#head, this.size);
    this.size += chunk.length;
    next(null, chunk);
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }

  /** The first bytes. */
  head(): Buffer {
    return this.#head.subarray(0, this.size);
  }
}

// With fewer bytes, file-type takes the missing ones for zeros, and two bytes for a font.
const MIN_SNIFFED_BYTES = 8;

const sniffed = async (head: Buffer): Promise<string | undefined> => {
  if (head.length < MIN_SNIFFED_BYTES) return undefined;
  try {
    return (await fileTypeFromBuffer(head))?.mime;
  } catch {
    // file-type throws on some malformed beginnings
    return undefined;
  }
};

/** A part without a type is text by default (RFC 7578 §4.4), whatever it holds; real text has no zero bytes. */
const isBelievable = (declaredType: string, head: Buffer): boolean =>
  declaredType !== 'text/plain' || !head.includes(0);

const mediaTypeOf = async (head: Buffer, declaredType: string | undefined): Promise<string> => {
  const found = await sniffed(head);
  if (found !== undefined) return found;
  return declaredType !== undefined && isBelievable(declaredType, head) ? declaredType : FALLBACK_TYPE;
};

/**
 * Streams an upload into object storage under a new key below the document's id, and computes size (bytes) and SHA-256
 * on the way. The media type is the one that the content shows, else the declared one. Memory does not grow with the
 * size; a body that fails leaves no object.
 */
export const storeUpload =
  ({ put }: Pick<ObjectStorage, 'put'>) =>
  async (documentId: string, { body, originalName, declaredType }: Upload): Promise<Stored> => {
    const key = newFileKey(documentId);
    const measure = new Measure();
    // `put` sees every way a body can end early, also that it is closed without an error.
    const measured = pipeline(body, measure, () => undefined);
    const stored = await put(key, measured);
    if (E.isLeft(stored)) return stored;
    const mimeType = await mediaTypeOf(measure.head(), declaredType);
    return E.right({ key, size: measure.size, sha256: measure.sha256(), mimeType, originalName });
  };
