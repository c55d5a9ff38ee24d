import { isObjectKey } from '../object-key.js';
import type { Bucket } from './bucket.js';
import { codeOf, repeating } from './repeating.js';

type UnfinishedUpload = { readonly key: string; readonly uploadId: string; readonly initiated: Date };

async function* unfinishedUploads({ client, name }: Bucket): AsyncGenerator<UnfinishedUpload, void> {
  let after = '';
  for (;;) {
    const page = await repeating(() => client.listIncompleteUploadsQuery(name, '', after, '', ''));
    yield* page.uploads;
    if (!page.isTruncated) return;
    if (page.nextKeyMarker === '' || page.nextKeyMarker === after)
      throw new Error('the server says that more uploads follow, but not where');
    after = page.nextKeyMarker;
  }
}

const abort = async ({ client, name }: Bucket, { key, uploadId }: UnfinishedUpload): Promise<void> => {
  try {
    await repeating(() => client.abortMultipartUpload(name, key, uploadId));
  } catch (error) {
    // another replica was faster
    if (codeOf(error) !== 'NoSuchUpload') throw error;
  }
};

/** Frees the parts of our uploads that began before `before` and were neither completed nor aborted; how many. */
export const abortOldUploads = async (bucket: Bucket, before: Date): Promise<number> => {
  let aborted = 0;
  for await (const upload of unfinishedUploads(bucket)) {
    if (!isObjectKey(upload.key) || upload.initiated >= before) continue;
    await abort(bucket, upload);
    aborted += 1;
  }
  return aborted;
};
