import { errorCode } from '../error-code.js';
import { isObjectKey } from '../object-key.js';
import type { Bucket } from './bucket.js';
import { retryRequest } from './retry-request.js';

type UnfinishedUpload = { readonly key: string; readonly uploadId: string; readonly initiated: Date };

async function* unfinishedUploads({ runtime, client, name }: Bucket): AsyncGenerator<UnfinishedUpload, void> {
  let after = '';
  for (;;) {
    const page = await retryRequest(runtime, () => client.listIncompleteUploadsQuery(name, '', after, '', ''));
    yield* page.uploads;
    if (!page.isTruncated) return;
    if (page.nextKeyMarker === '' || page.nextKeyMarker === after)
      throw new Error('the server says that more uploads follow, but not where');
    after = page.nextKeyMarker;
  }
}

const abort = async ({ runtime, client, name }: Bucket, { key, uploadId }: UnfinishedUpload): Promise<void> => {
  try {
    await retryRequest(runtime, () => client.abortMultipartUpload(name, key, uploadId));
  } catch (error) {
    // another process has aborted it meanwhile
    if (errorCode(error) !== 'NoSuchUpload') throw error;
  }
};

/** Aborts the uploads of our keys that began before `before` and are not complete. Returns how many. */
export const abortOldUploads = async (bucket: Bucket, before: Date): Promise<number> => {
  let aborted = 0;
  for await (const upload of unfinishedUploads(bucket)) {
    if (!isObjectKey(upload.key) || upload.initiated >= before) continue;
    await abort(bucket, upload);
    aborted += 1;
  }
  return aborted;
};
