import type { Bucket } from './bucket.js';
import { codeOf, repeating } from './repeating.js';

const ALREADY_THERE = /^(BucketAlreadyOwnedByYou|BucketAlreadyExists)$/;

/** Creates the bucket where it is missing. Another replica may do the same at the same time. */
export const ensureBucket = async ({ client, name }: Bucket, region: string): Promise<void> => {
  if (await repeating(() => client.bucketExists(name))) return;
  try {
    await repeating(() => client.makeBucket(name, region));
  } catch (error) {
    const isThere = ALREADY_THERE.test(codeOf(error)) && (await repeating(() => client.bucketExists(name)));
    if (!isThere) throw error;
  }
};
