import type { StoredObject } from '../../application/ports.js';
import { isObjectKey } from '../object-key.js';
import type { Bucket } from './bucket.js';
import { retryRequest } from './retry-request.js';

const PAGE = 1000; // the most that S3 returns at once

/** Every object with one of our keys that begins with `prefix`, in the order of keys. Reads a page at a time. */
export async function* listObjects(
  { runtime, client, name }: Bucket,
  prefix: string,
): AsyncGenerator<StoredObject, void> {
  let from = '';
  for (;;) {
    const page = await retryRequest(runtime, () => client.listObjectsV2Query(name, prefix, from, '', PAGE, ''));
    for (const { name: key, size, lastModified } of page.objects)
      if (key !== undefined && isObjectKey(key)) yield { key, size, modifiedAt: lastModified };
    if (!page.isTruncated) return;
    if (page.nextContinuationToken === '' || page.nextContinuationToken === from)
      throw new Error('the server says that more objects follow, but not where');
    from = page.nextContinuationToken;
  }
}
