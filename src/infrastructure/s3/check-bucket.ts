import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { newFileKey } from '../../application/document/file-key.js';
import type { Bucket } from './bucket.js';
import { ensureBucket } from './ensure-bucket.js';
import { openObject } from './open-object.js';
import { repeating } from './repeating.js';
import type { S3Config } from '../../config.js';

const PROBE = Buffer.from('0123456789');

const textOf = async (stream: Readable): Promise<string> => {
  const chunks: Array<Uint8Array> = [];
  // reason: the answer to a request for an object is a byte stream
  for await (const chunk of stream as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

const requireSame = (got: unknown, expected: unknown): void => {
  if (got !== expected) throw new Error(`the server gave ${String(got)} instead of ${String(expected)}`);
};

const abilities = (bucket: Bucket, key: string): ReadonlyArray<readonly [what: string, prove: () => Promise<void>]> => {
  const { client, name } = bucket;
  return [
    [
      'store an object',
      async () => {
        await repeating(() => client.putObject(name, key, PROBE));
      },
    ],
    ['read an object', async () => requireSame(await textOf(await openObject(bucket, key)), '0123456789')],
    [
      'read a range',
      async () => requireSame(await textOf(await openObject(bucket, key, { first: 2, last: 4 })), '234'),
    ],
    [
      'list objects',
      async () => {
        const { objects } = await repeating(() => client.listObjectsV2Query(name, key, '', '', 1, ''));
        requireSame(objects[0]?.name, key);
      },
    ],
    [
      'begin and abort an upload in parts',
      async () => {
        const uploadId = await repeating(() => client.initiateNewMultipartUpload(name, key, {}));
        await repeating(() => client.abortMultipartUpload(name, key, uploadId));
      },
    ],
    ['remove an object', () => repeating(() => client.removeObject(name, key))],
  ];
};

/**
 * Makes sure that the bucket is there and that all that files need works in it. Throws an error that says what does
 * not, and which settings decide it.
 */
export const checkBucket = async (bucket: Bucket, { endpoint, region }: S3Config): Promise<void> => {
  const where = `the bucket ${bucket.name} (S3_BUCKET) at ${endpoint} (S3_ENDPOINT)`;
  const attempt = async (what: string, prove: () => Promise<void>): Promise<void> => {
    try {
      await prove();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : JSON.stringify(cause);
      throw new Error(
        `cannot ${what} in ${where} with S3_ACCESS_KEY, S3_SECRET_KEY and the region ${region} (S3_REGION): ${reason}`,
        { cause },
      );
    }
  };
  await attempt('find or create the place for files', () => ensureBucket(bucket, region));
  // a key that no event will name: were the process to end here, the sweep would remove it
  const key = newFileKey(randomUUID());
  for (const [what, prove] of abilities(bucket, key)) await attempt(what, prove);
};
