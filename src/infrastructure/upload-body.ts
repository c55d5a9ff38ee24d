import type { Readable } from 'node:stream';
import type { either as E } from 'fp-ts';
import { attempt } from '../event-sourcing/attempt.js';
import type { StorageUnavailable, UploadAborted } from '../application/ports.js';

class BodyFailed extends Error {}

/** The chunks of an upload, read as they are pulled. Destroys `body` when the caller stops early. */
async function* chunksOf(body: Readable): AsyncGenerator<Uint8Array, void> {
  try {
    // reason: a body is a byte stream; Readable itself is typed for objects too
    for await (const chunk of body as AsyncIterable<Uint8Array>) yield chunk;
  } catch (cause) {
    throw new BodyFailed('the body failed', { cause });
  }
}

const uploadFailure = (error: unknown): StorageUnavailable | UploadAborted =>
  error instanceof BodyFailed
    ? { _tag: 'UploadAborted', cause: error.cause }
    : { _tag: 'StorageUnavailable', cause: error };

/**
 * Passes the chunks of `body` to `store`. `UploadAborted` when the body failed, `StorageUnavailable` when `store` did.
 * In every case the body is consumed or destroyed, and none of its errors goes unhandled.
 */
export const takeBody = (
  body: Readable,
  store: (chunks: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<E.Either<StorageUnavailable | UploadAborted, void>> =>
  attempt(async () => {
    // the body may fail before `store` reads it, and an error without a listener ends the process
    body.on('error', () => undefined);
    try {
      await store(chunksOf(body));
    } finally {
      body.destroy();
    }
  }, uploadFailure);
