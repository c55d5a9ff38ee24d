import type { Client, MakeBucketOpt } from 'minio';
import { errorCode } from '../error-code.js';
import { retryRequest } from './retry-request.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

/** A bucket, and a client for it. */
export type ConnectedBucket = { readonly runtime: Runtime; readonly client: Client; readonly name: string };

/** A bucket that files or checkpoints are kept in. No other program writes into it. */
export type Bucket = ConnectedBucket & {
  /**
   * Whether its objects are kept from everybody: `ByDefault` as the bucket's own rule says, `ByHold` those alone that are
   * stored with a legal hold.
   */
  readonly lock: 'None' | 'ByDefault' | 'ByHold';
};

const ALREADY_EXISTS = /^(BucketAlreadyOwnedByYou|BucketAlreadyExists)$/;

/** Creates the bucket if it does not exist. Several processes may do so at the same time. */
export const ensureBucket = async (
  { runtime, client, name }: ConnectedBucket,
  region: string,
  options: MakeBucketOpt = {},
): Promise<void> => {
  const exists = (): Promise<boolean> => retryRequest(runtime, () => client.bucketExists(name));
  if (await exists()) return;
  try {
    await retryRequest(runtime, () => client.makeBucket(name, region, options));
  } catch (error) {
    // another account may own a bucket of that name; then it does not exist for us
    if (!ALREADY_EXISTS.test(errorCode(error)) || !(await exists())) throw error;
  }
};
