import { errorCode } from '../error-code.js';
import type { FoundObject } from '../checkpoints/checkpoint-objects.js';
import type { Bucket } from './bucket.js';
import { listVersions } from './list-folder.js';
import { listObjects } from './list-objects.js';
import { retryRequest } from './retry-request.js';

/** What a server answers that keeps no versions, and so cannot list them. */
const NO_VERSIONS = /^(MethodNotAllowed|NotImplemented)$/;

/** Every version below a folder, and every mark that one was deleted; on a server that keeps none, the objects. */
async function* allBelow(bucket: Bucket, folder: string): AsyncGenerator<FoundObject> {
  try {
    yield* listVersions(bucket, folder);
  } catch (error) {
    if (!NO_VERSIONS.test(errorCode(error))) throw error;
    yield* listObjects(bucket, `${folder}/`);
  }
}

/**
 * Removes every version of every object below a folder, and every mark that one was deleted. Gives the keys of those that are
 * there afterwards: an object lock keeps them, or the access key may not remove versions.
 */
export const removeVersions = async (bucket: Bucket, folder: string): Promise<ReadonlyArray<string>> => {
  const { runtime, client, name } = bucket;
  const remove = (key: string, version: string | undefined): Promise<void> =>
    retryRequest(runtime, () => client.removeObject(name, key, version === undefined ? {} : { versionId: version }));
  // what is refused is found by the look below
  for await (const { key, version } of allBelow(bucket, folder)) await remove(key, version).catch(() => undefined);
  const left = new Set<string>();
  for await (const { key } of allBelow(bucket, folder)) left.add(key);
  return [...left];
};
