import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform } from 'node:stream';
import { either as E } from 'fp-ts';
import type { StoredFile } from '../../domain/document/events.js';
import type { Random } from '../../event-sourcing/random.js';
import type { ObjectStorage, StorageUnavailable, UploadAborted } from '../ports.js';
import { newFileKey } from './file-key.js';
import { mediaTypeOf, SNIFFED_BYTES } from './media-type.js';

export type Upload = {
  readonly body: Readable;
  /** Base name as the client gave it, already cleaned; display only. */
  readonly originalName: string;
  /** Media type as the client declared it, if it did. */
  readonly declaredType: string | undefined;
};

export type Stored = E.Either<StorageUnavailable | UploadAborted, StoredFile>;

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

/**
 * Streams an upload into object storage under a new key below the document's id, and computes size (bytes) and SHA-256
 * on the way. Memory does not grow with the size; a body that fails leaves no object.
 */
export const storeUpload =
  (random: Random, { put }: Pick<ObjectStorage, 'put'>) =>
  async (documentId: string, { body, originalName, declaredType }: Upload): Promise<Stored> => {
    const key = newFileKey(random, documentId);
    const measure = new Measure();
    // `put` sees every way a body can end early, also that it is closed without an error.
    const measured = pipeline(body, measure, () => undefined);
    const stored = await put(key, measured);
    if (E.isLeft(stored)) return stored;
    const mimeType = await mediaTypeOf(measure.head(), declaredType);
    return E.right({ key, size: measure.size, sha256: measure.sha256(), mimeType, originalName });
  };
