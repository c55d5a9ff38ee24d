import type { Client } from 'minio';
import { errorCode } from '../error-code.js';
import { retryRequest } from './retry-request.js';

/** The bucket that files are kept in, and a client for it. No other program writes into it. */
export type Bucket = { readonly client: Client; readonly name: string };

const ALREADY_EXISTS = /^(BucketAlreadyOwnedByYou|BucketAlreadyExists)$/;

/** Creates the bucket if it does not exist. Several processes may do so at the same time. */
export const ensureBucket = async ({ client, name }: Bucket, region: string): Promise<void> => {
  const exists = (): Promise<boolean> => retryRequest(() => client.bucketExists(name));
  if (await exists()) return;
  try {
    await retryRequest(() => client.makeBucket(name, region));
  } catch (error) {
    // another account may own a bucket of that name; then it does not exist for us
    if (!ALREADY_EXISTS.test(errorCode(error)) || !(await exists())) throw error;
  }
};
