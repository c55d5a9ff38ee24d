import { Client } from 'minio';
import type { S3Config } from '../../src/config.js';

/** A client that does what the service never does. */
export const s3Client = ({ endpoint, accessKey, secretKey, region }: S3Config): Client => {
  const { protocol, hostname, port } = new URL(endpoint);
  return new Client({
    endPoint: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    ...{ useSSL: protocol === 'https:', accessKey, secretKey, region },
  });
};
