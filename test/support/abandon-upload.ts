import { Client } from 'minio';
import type { S3Config } from '../../src/config.js';

const PART = Buffer.alloc(5 * 1024 * 1024);

/** Begins an upload in parts and leaves it at that. */
export const abandonUpload = async (settings: S3Config, key: string): Promise<void> => {
  const { protocol, hostname, port } = new URL(settings.endpoint);
  const { bucket, region, accessKey, secretKey } = settings;
  const address = { endPoint: hostname, port: Number(port), useSSL: protocol === 'https:', region };
  const client = new Client({ ...address, accessKey, secretKey });
  const uploadID = await client.initiateNewMultipartUpload(bucket, key, {});
  await client.uploadPart({ bucketName: bucket, objectName: key, uploadID, partNumber: 1, headers: {} }, PART);
};
