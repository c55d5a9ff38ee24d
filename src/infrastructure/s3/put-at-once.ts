import { buffer } from 'node:stream/consumers';
import type { Bucket } from './bucket.js';
import { digestHeaders } from './object-lock.js';
import { retryRequest } from './retry-request.js';

/** Stores an object by one request. The library's own function takes no digest and no lock among its headers. */
export const putAtOnce = (
  bucket: Bucket,
  key: string,
  content: Buffer,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> => {
  const request = {
    method: 'PUT',
    bucketName: bucket.name,
    objectName: key,
    headers: { ...headers, ...digestHeaders(content) },
  };
  return retryRequest(bucket.runtime, async () => {
    const response = await bucket.client.makeRequestAsync(request, content);
    await buffer(response); // its connection is free for the next request when it has been read
  });
};
