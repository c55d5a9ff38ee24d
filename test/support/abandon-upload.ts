import type { S3Config } from '../../src/config.js';
import { s3Client } from './s3-client.js';

const PART = Buffer.alloc(5 * 1024 * 1024);

/** Begins an upload in parts and leaves it at that. */
export const abandonUpload = async (settings: S3Config, key: string): Promise<void> => {
  const { bucket } = settings;
  const client = s3Client(settings);
  const uploadID = await client.initiateNewMultipartUpload(bucket, key, {});
  await client.uploadPart({ bucketName: bucket, objectName: key, uploadID, partNumber: 1, headers: {} }, PART);
};
