import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';
import type { Bucket } from './bucket.js';
import { errorCode } from '../error-code.js';
import { listFolder } from './list-folder.js';
import { holdHeaders } from './object-lock.js';
import { openObject } from './open-object.js';
import { putAtOnce } from './put-at-once.js';
import { retryRequest } from './retry-request.js';

const isThere = async ({ runtime, client, name }: Bucket, key: string): Promise<boolean> => {
  try {
    await retryRequest(runtime, () => client.statObject(name, key));
    return true;
  } catch (error) {
    if (/^(NotFound|NoSuchKey)$/.test(errorCode(error))) return false;
    throw error;
  }
};

/**
 * The part of the storage in a bucket that keeps checkpoints. Where the bucket has object lock, nobody can remove them: by
 * its own rule, or else by a legal hold on each. Elsewhere whoever can write into the bucket can write over them.
 */
export const checkpointObjects = (bucket: Bucket, isBucketThere: () => Promise<boolean>): CheckpointObjects => ({
  list: listFolder(bucket),
  open: ({ key, version }) => openObject(bucket, key, undefined, version),
  add: async (key, content) => {
    // with object lock the bucket keeps what was there as another version
    if (bucket.lock === 'None' && (await isThere(bucket, key))) return false;
    await putAtOnce(bucket, key, content, holdHeaders(bucket));
    return true;
  },
  isThere: isBucketThere,
});
