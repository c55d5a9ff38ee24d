import { createHash } from 'node:crypto';
import type { Bucket, ConnectedBucket } from './bucket.js';
import { isTransient, retryRequest } from './retry-request.js';
import { ServerSilent } from './transport.js';

type LockConfiguration = { readonly objectLockEnabled?: unknown; readonly mode?: unknown };

/**
 * Whether the bucket locks its objects. A server that knows no object lock, and one that does not let us ask, has none.
 * Rejects when it does not answer.
 */
export const objectLockOf = async ({ runtime, client, name }: ConnectedBucket): Promise<Bucket['lock']> => {
  try {
    // bound, it has the one of the library's overloads that returns something
    const ask: (name: string) => Promise<LockConfiguration> = client.getObjectLockConfig.bind(client);
    const found = await retryRequest(runtime, () => ask(name));
    if (found.objectLockEnabled !== 'Enabled') return 'None';
    return found.mode === undefined ? 'ByHold' : 'ByDefault';
  } catch (error) {
    if (isTransient(error) || error instanceof ServerSilent) throw error;
    return 'None';
  }
};

type Headers = Readonly<Record<string, string>>;

/** What S3 demands beside any content that goes into a bucket with object lock, and compares with what arrives. */
export const digestHeaders = (content: Uint8Array): Headers => ({
  'Content-MD5': createHash('md5').update(content).digest('base64'),
});

/** What keeps an object from being removed where the bucket does not do so by itself. */
export const holdHeaders = ({ lock }: Bucket): Headers =>
  lock === 'ByHold' ? { 'x-amz-object-lock-legal-hold': 'ON' } : {};
