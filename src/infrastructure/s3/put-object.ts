import type { Bucket } from './bucket.js';
import { PART_BYTES, partsOf } from './parts.js';
import { repeating } from './repeating.js';
import { ServerSilent } from './transport.js';

type UploadedPart = { readonly part: number; readonly etag: string };

const uploadParts = async (
  { client, name }: Bucket,
  key: string,
  uploadId: string,
  parts: AsyncIterable<Buffer>,
): Promise<Array<UploadedPart>> => {
  const uploaded: Array<UploadedPart> = [];
  for await (const bytes of parts) {
    const partNumber = uploaded.length + 1;
    const target = { bucketName: name, objectName: key, uploadID: uploadId, partNumber, headers: {} };
    const { etag } = await repeating(() => client.uploadPart(target, bytes));
    uploaded.push({ part: partNumber, etag });
  }
  return uploaded;
};

const isThere = ({ client, name }: Bucket, key: string): Promise<boolean> =>
  repeating(() => client.statObject(name, key)).then(
    () => true,
    () => false,
  );

/** Makes the parts one object. When only an answer was lost, the repeat fails on an upload that is no more. */
const complete = async (bucket: Bucket, key: string, uploadId: string, parts: Array<UploadedPart>): Promise<void> => {
  let attempts = 0;
  try {
    await repeating(() => {
      attempts += 1;
      return bucket.client.completeMultipartUpload(bucket.name, key, uploadId, parts);
    });
  } catch (error) {
    if (attempts === 1 || !(await isThere(bucket, key))) throw error;
  }
};

/** Tries to clear away what a failed upload left. What stays is cleared when it is old: nobody waits for that twice. */
const unlessSilent = async (failure: unknown, clear: () => Promise<void>): Promise<void> => {
  if (!(failure instanceof ServerSilent)) await clear().catch(() => undefined);
};

const putInParts = async (bucket: Bucket, key: string, parts: AsyncIterable<Buffer>): Promise<void> => {
  const { client, name } = bucket;
  const uploadId = await repeating(() => client.initiateNewMultipartUpload(name, key, {}));
  try {
    await complete(bucket, key, uploadId, await uploadParts(bucket, key, uploadId, parts));
  } catch (error) {
    await unlessSilent(error, () => client.abortMultipartUpload(name, key, uploadId));
    throw error;
  }
};

async function* startingWith<A>(first: A, rest: AsyncIterable<A>): AsyncGenerator<A, void> {
  yield first;
  yield* rest;
}

const putAtOnce = ({ client, name }: Bucket, key: string, bytes: Buffer): Promise<unknown> =>
  repeating(() => client.putObject(name, key, bytes, bytes.length));

/**
 * Stores an object in one request or, from `PART_BYTES` on, in parts, one of which is held at a time. The library's
 * own upload of a stream is not used: it waits for ever when the stream fails, and leaves the parts on the server.
 */
export const putObject = async (bucket: Bucket, key: string, chunks: AsyncIterable<Uint8Array>): Promise<void> => {
  const parts = partsOf(chunks);
  try {
    const { value: first } = await parts.next();
    if (first === undefined || first.length < PART_BYTES) await putAtOnce(bucket, key, first ?? Buffer.alloc(0));
    else await putInParts(bucket, key, startingWith(first, parts));
  } catch (error) {
    // a request that failed without an answer may have stored the object all the same
    await unlessSilent(error, () => bucket.client.removeObject(bucket.name, key));
    throw error;
  }
};
