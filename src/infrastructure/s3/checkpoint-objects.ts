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

const inOne = (bucket: Bucket): CheckpointObjects => ({
  list: listFolder(bucket),
  open: ({ key, version }) => openObject(bucket, key, undefined, version),
  add: async (key, content) => {
    // with object lock the bucket keeps what was there as another version
    if (bucket.lock === 'None' && (await isThere(bucket, key))) return false;
    await putAtOnce(bucket, key, content, holdHeaders(bucket));
    return true;
  },
  isThere: () => bucket.client.bucketExists(bucket.name),
});

/**
 * The part of the storage in a bucket that keeps checkpoints. Where the bucket has object lock, nobody can remove them: by
 * its own rule, or else by a legal hold on each. Elsewhere whoever can write into the bucket can write over them.
 * Those that were put into the bucket `earlier` are read as well.
 */
export const checkpointObjects = (bucket: Bucket, earlier?: Bucket): CheckpointObjects => {
  const objects = inOne(bucket);
  if (earlier === undefined) return objects;
  const before = inOne(earlier);
  return {
    ...objects,
    list: async (folder, from) => {
      const [own, found] = await Promise.all([objects.list(folder, from), before.list(folder, from)]);
      return {
        folders: [...new Set([...own.folders, ...found.folders])],
        objects: [...own.objects, ...found.objects.map((object) => ({ ...object, isEarlier: true }) as const)],
      };
    },
    open: (object) => (object.isEarlier === true ? before : objects).open(object),
  };
};
