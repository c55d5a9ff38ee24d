import { text } from 'node:stream/consumers';
import type { MakeBucketOpt } from 'minio';
import { newFileKey } from '../../application/document/file-key.js';
import type { S3Config } from '../../config.js';
import { CHECKPOINTS } from '../checkpoints/checkpoint-key.js';
import { keepOnce } from '../checkpoints/keep-once.js';
import { type Bucket, type ConnectedBucket, ensureBucket } from './bucket.js';
import { checkpointObjects } from './checkpoint-objects.js';
import { objectLockOf } from './object-lock.js';
import { openObject } from './open-object.js';
import { putAtOnce } from './put-at-once.js';
import { retryRequest } from './retry-request.js';

const PROBE = '0123456789';

const requireEqual = (got: unknown, expected: unknown): void => {
  if (got !== expected) throw new Error(`the server gave ${String(got)} instead of ${String(expected)}`);
};

/** Each operation on files, tried on an object that the first of them stores and the last one removes. */
const operations = (
  bucket: Bucket,
  key: string,
): ReadonlyArray<readonly [name: string, run: () => Promise<unknown>]> => {
  const { runtime, client, name } = bucket;
  return [
    ['store an object', () => putAtOnce(bucket, key, Buffer.from(PROBE))],
    ['read an object', async () => requireEqual(await text(await openObject(bucket, key)), PROBE)],
    ['read a range', async () => requireEqual(await text(await openObject(bucket, key, { first: 2, last: 4 })), '234')],
    [
      'list objects',
      async () => {
        const { objects } = await retryRequest(runtime, () => client.listObjectsV2Query(name, key, '', '', 1, ''));
        requireEqual(objects[0]?.name, key);
      },
    ],
    [
      'begin and abort an upload in parts',
      async () => {
        const uploadId = await retryRequest(runtime, () => client.initiateNewMultipartUpload(name, key, {}));
        await retryRequest(runtime, () => client.abortMultipartUpload(name, key, uploadId));
      },
    ],
    ['remove an object', () => retryRequest(runtime, () => client.removeObject(name, key))],
  ];
};

type Attempt = <A>(operation: string, run: () => Promise<A>) => Promise<A>;

const attemptWith =
  ({ region }: S3Config): Attempt =>
  async (operation, run) => {
    try {
      return await run();
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : JSON.stringify(cause);
      throw new Error(
        `cannot ${operation} with S3_ACCESS_KEY, S3_SECRET_KEY and the region ${region} (S3_REGION): ${reason}`,
        { cause },
      );
    }
  };

const findBucket = async (
  connected: ConnectedBucket,
  { region }: S3Config,
  where: string,
  attempt: Attempt,
  options?: MakeBucketOpt,
): Promise<Bucket> => {
  await attempt(`find or create ${where}`, () => ensureBucket(connected, region, options));
  const lock = await attempt(`ask for the object lock of ${where}`, () => objectLockOf(connected));
  return { ...connected, lock };
};

/**
 * Creates the bucket if it does not exist, and tries every operation on files in it. Throws an error that names the
 * operation that failed and the settings to look at.
 */
export const checkBucket = async (connected: ConnectedBucket, settings: S3Config): Promise<Bucket> => {
  const where = `the bucket ${connected.name} (S3_BUCKET) at ${settings.endpoint} (S3_ENDPOINT)`;
  const attempt = attemptWith(settings);
  const bucket = await findBucket(connected, settings, where, attempt);
  // no event names this key: should the process end here, the sweep removes the object
  const { random } = connected.runtime;
  const key = newFileKey(random, random.uuid());
  for (const [operation, run] of operations(bucket, key)) await attempt(`${operation} in ${where}`, run);
  return bucket;
};

/** What is tried in a bucket of checkpoints: one object, as none can be removed where they are locked. */
const PROBE_KEY = 'probe/object';

/**
 * Creates the bucket if it does not exist, with object lock, and tries all that is done with checkpoints in it: nothing is
 * ever removed there, so that its keys need not be allowed to. Tries to list the earlier ones among the `files`, too. Throws
 * as above.
 */
export const checkCheckpointBucket = async (
  connected: ConnectedBucket,
  files: Bucket,
  settings: S3Config,
): Promise<Bucket> => {
  const where = `the bucket ${connected.name} (S3_CHECKPOINT_BUCKET) at ${settings.endpoint} (S3_ENDPOINT)`;
  const attempt = attemptWith(settings);
  const bucket = await findBucket(connected, settings, where, attempt, { ObjectLocking: true });
  const objects = checkpointObjects(bucket);
  const keepProbe = (): Promise<void> => keepOnce(objects, PROBE_KEY, Buffer.from(PROBE), 'probe');
  await attempt(`list checkpoints in ${where}`, () => objects.list(CHECKPOINTS, ''));
  const list = (): Promise<unknown> => checkpointObjects(files).list(CHECKPOINTS, '');
  await attempt(`list earlier checkpoints in the bucket ${files.name} (S3_BUCKET) at ${settings.endpoint}`, list);
  await attempt(`store and read an object in ${where}`, async () => {
    await keepProbe();
    await keepProbe(); // reads what the first one may have stored
  });
  return bucket;
};
