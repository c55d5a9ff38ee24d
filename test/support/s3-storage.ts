import { either as E } from 'fp-ts';
import type { S3Config } from '../../src/config.js';
import type { Patience } from '../../src/infrastructure/s3/patience.js';
import { openS3Storage, type S3Storage } from '../../src/infrastructure/s3/s3-storage.js';

export const s3Storage = async (settings: S3Config, patience?: Patience): Promise<S3Storage> => {
  const opened = await openS3Storage(settings, patience);
  if (E.isLeft(opened)) throw new Error('cannot open the storage', { cause: opened.left.cause });
  return opened.right;
};
