import type { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { S3Config } from '../../config.js';
import type { ErasableFiles, ObjectStorage, StorageUnavailable } from '../../application/ports.js';
import type { FileContents } from '../../read/get-file.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';
import { requireObjectKey } from '../object-key.js';
import { openFailure } from '../open-failure.js';
import type { Check } from '../readiness.js';
import { takeBody } from '../upload-body.js';
import type { Bucket, ConnectedBucket } from './bucket.js';
import { checkBucket, checkCheckpointBucket } from './check-bucket.js';
import { checkpointObjects } from './checkpoint-objects.js';
import { listObjects } from './list-objects.js';
import { removeVersions } from './remove-versions.js';
import { openObject } from './open-object.js';
import { PART_BYTES } from './parts.js';
import { putObject } from './put-object.js';
import { retryRequest } from './retry-request.js';
import {
  type Connections,
  DEFAULT_TIMEOUTS,
  openConnections,
  type Timeouts,
  transportWithTimeouts,
} from './transport.js';
import { abortOldUploads } from './unfinished-uploads.js';
import type { Runtime } from '../../event-sourcing/runtime.js';

export type S3Storage = ObjectStorage &
  FileContents &
  ErasableFiles & {
    readonly isThere: Check;
    readonly checkpoints: CheckpointObjects;
    readonly warnings: ReadonlyArray<string>;
    readonly close: () => void;
  };

const storageUnavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

const connect = async (
  runtime: Runtime,
  settings: S3Config,
  connections: Connections,
  timeouts: Timeouts,
): Promise<ConnectedBucket> => {
  // loaded here, because loading it takes longer than the rest of the start
  const { Client } = await import('minio');
  const { protocol, hostname, port } = new URL(settings.endpoint);
  const client = new Client({
    endPoint: hostname,
    ...(port === '' ? {} : { port: Number(port) }),
    useSSL: protocol === 'https:',
    accessKey: settings.accessKey,
    secretKey: settings.secretKey,
    region: settings.region,
    transport: transportWithTimeouts(runtime.clock, connections.request, timeouts),
    transportAgent: connections.agent,
    retryOptions: { disableRetry: true },
  });
  return { runtime, client, name: settings.bucket };
};

/** A bucket of its own is given for the sake of object lock. */
const UNLOCKED =
  'S3_CHECKPOINT_BUCKET has no object lock that its keys can see: whoever has them can remove checkpoints';

/** `own`: the bucket of the checkpoints. An installation that had none of its own has its earlier ones with the files. */
const storageIn = (bucket: Bucket, own: Bucket | undefined, connections: Connections): S3Storage => ({
  isThere: () => bucket.client.bucketExists(bucket.name),
  checkpoints: own === undefined ? checkpointObjects(bucket) : checkpointObjects(own, bucket),
  warnings: own?.lock === 'None' ? [UNLOCKED] : [],
  // a part and, while its buffer doubles for the last time, the old buffer of half its length
  heldPerPut: 1.5 * PART_BYTES,
  put: (key, body) =>
    takeBody(body, async (chunks) => {
      requireObjectKey(key);
      await putObject(bucket, key, chunks);
    }),
  open: (key, range) =>
    attempt(async () => {
      requireObjectKey(key);
      return openObject(bucket, key, range);
    }, openFailure),
  remove: (key) =>
    attempt(async () => {
      requireObjectKey(key);
      await retryRequest(bucket.runtime, () => bucket.client.removeObject(bucket.name, key));
    }, storageUnavailable),
  removeForGood: (folder) => attempt(() => removeVersions(bucket, folder), storageUnavailable),
  list: (prefix) => listObjects(bucket, prefix),
  clearUnfinished: (before) => attempt(() => abortOldUploads(bucket, before), storageUnavailable),
  close: connections.close,
});

/**
 * Files in a bucket of S3, or of a server that speaks its protocol, and checkpoints in the same or in one of their own; a
 * bucket is created if it does not exist. Every operation on files and on checkpoints is tried before this resolves. When
 * one fails, the cause names it and the settings to look at.
 */
export const openS3Storage = (
  runtime: Runtime,
  settings: S3Config,
  timeouts: Timeouts = DEFAULT_TIMEOUTS,
): Promise<E.Either<StorageUnavailable, S3Storage>> =>
  attempt(async () => {
    const connections = openConnections(settings.endpoint.startsWith('https:'));
    try {
      const connected = await connect(runtime, settings, connections, timeouts);
      const bucket = await checkBucket(connected, settings);
      const { checkpointBucket: name } = settings;
      const own = name === undefined ? undefined : await checkCheckpointBucket({ ...bucket, name }, bucket, settings);
      return storageIn(bucket, own, connections);
    } catch (error) {
      connections.close();
      throw error;
    }
  }, storageUnavailable);
