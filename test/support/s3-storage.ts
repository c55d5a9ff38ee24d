import { either as E } from 'fp-ts';
import type { S3Config } from '../../src/config.js';
import { openS3Storage, type S3Storage } from '../../src/infrastructure/s3/s3-storage.js';
import type { Timeouts } from '../../src/infrastructure/s3/transport.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

export const s3Storage = async (settings: S3Config, timeouts?: Timeouts): Promise<S3Storage> => {
  const opened = await openS3Storage(systemRuntime, settings, timeouts);
  if (E.isLeft(opened)) throw new Error('cannot open the storage', { cause: opened.left.cause });
  return opened.right;
};
