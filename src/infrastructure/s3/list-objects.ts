import type { StoredObject } from '../../application/ports.js';
import { isObjectKey } from '../object-key.js';
import type { Bucket } from './bucket.js';
import { repeating } from './repeating.js';

const PAGE = 1000; // the most that S3 gives at once

/** Every object of ours whose key begins with `prefix`, in the order of keys, a page at a time. */
export async function* listObjects({ client, name }: Bucket, prefix: string): AsyncGenerator<StoredObject, void> {
  let from = '';
  for (;;) {
    const page = await repeating(() => client.listObjectsV2Query(name, prefix, from, '', PAGE, ''));
    for (const { name: key, size, lastModified } of page.objects)
      if (key !== undefined && isObjectKey(key)) yield { key, size, modifiedAt: lastModified };
    if (!page.isTruncated) return;
    if (page.nextContinuationToken === '' || page.nextContinuationToken === from)
      throw new Error('the server says that more objects follow, but not where');
    from = page.nextContinuationToken;
  }
}
