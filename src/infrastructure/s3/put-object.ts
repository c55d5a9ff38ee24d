import type { Bucket } from './bucket.js';
import { digestHeaders } from './object-lock.js';
import { PART_BYTES, partsOf } from './parts.js';
import { putAtOnce } from './put-at-once.js';
import { retryRequest } from './retry-request.js';
import { ServerSilent } from './transport.js';

type UploadedPart = { readonly part: number; readonly etag: string };

const uploadParts = async (
  bucket: Bucket,
  key: string,
  uploadId: string,
  parts: AsyncIterable<Buffer>,
): Promise<Array<UploadedPart>> => {
  const uploaded: Array<UploadedPart> = [];
  for await (const bytes of parts) {
    const partNumber = uploaded.length + 1;
    // only where it is demanded: for a large file it takes a while
    const headers = bucket.lock === 'None' ? {} : digestHeaders(bytes);
    const target = { bucketName: bucket.name, objectName: key, uploadID: uploadId, partNumber, headers };
    const { etag } = await retryRequest(bucket.runtime, () => bucket.client.uploadPart(target, bytes));
    uploaded.push({ part: partNumber, etag });
  }
  return uploaded;
};

const exists = ({ runtime, client, name }: Bucket, key: string): Promise<boolean> =>
  retryRequest(runtime, () => client.statObject(name, key)).then(
    () => true,
    () => false,
  );

/**
 * Turns the parts into one object. When only the response to the first attempt was lost, the second one fails, because
 * the upload is complete and no longer exists; then the object is there.
 */
const complete = async (bucket: Bucket, key: string, uploadId: string, parts: Array<UploadedPart>): Promise<void> => {
  let attempts = 0;
  try {
    await retryRequest(bucket.runtime, () => {
      attempts += 1;
      return bucket.client.completeMultipartUpload(bucket.name, key, uploadId, parts);
    });
  } catch (error) {
    if (attempts === 1 || !(await exists(bucket, key))) throw error;
  }
};

/** Removes what a failed upload has left. After a timeout this is left to the sweep: the server would not answer now. */
const cleanUp = async (failure: unknown, remove: () => Promise<void>): Promise<void> => {
  if (!(failure instanceof ServerSilent)) await remove().catch(() => undefined);
};

const putInParts = async (bucket: Bucket, key: string, parts: AsyncIterable<Buffer>): Promise<void> => {
  const { runtime, client, name } = bucket;
  const uploadId = await retryRequest(runtime, () => client.initiateNewMultipartUpload(name, key, {}));
  try {
    await complete(bucket, key, uploadId, await uploadParts(bucket, key, uploadId, parts));
  } catch (error) {
    await cleanUp(error, () => client.abortMultipartUpload(name, key, uploadId));
    throw error;
  }
};

async function* startingWith<A>(first: A, rest: AsyncIterable<A>): AsyncGenerator<A, void> {
  yield first;
  yield* rest;
}

/**
 * Stores an object: in one request when it is shorter than `PART_BYTES`, else in parts, of which one at a time is in
 * memory. The library's own upload of a stream is not used: it never settles when the stream fails, and leaves the parts
 * on the server.
 */
export const putObject = async (bucket: Bucket, key: string, chunks: AsyncIterable<Uint8Array>): Promise<void> => {
  const parts = partsOf(chunks);
  try {
    const { value: first } = await parts.next();
    if (first === undefined || first.length < PART_BYTES) await putAtOnce(bucket, key, first ?? Buffer.alloc(0));
    else await putInParts(bucket, key, startingWith(first, parts));
  } catch (error) {
    // a request whose response was lost may have stored the object
    await cleanUp(error, () => bucket.client.removeObject(bucket.name, key));
    throw error;
  }
};
