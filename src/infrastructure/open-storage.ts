import path from 'node:path';
import { either as E } from 'fp-ts';
import type { ErasableFiles, ObjectStorage, StorageUnavailable } from '../application/ports.js';
import type { Config, S3Config } from '../config.js';
import type { Runtime } from '../event-sourcing/runtime.js';
import type { FileContents } from '../read/get-file.js';
import type { CheckpointObjects } from './checkpoints/checkpoint-objects.js';
import { openDiskStorage } from './disk/disk-storage.js';
import { type DiskSpace, watchDiskSpace } from './disk-space/disk-space.js';
import { putWithinSpace } from './disk-space/within-space.js';
import type { CannotOpen } from './cannot-open.js';
import type { CheckpointPlaces } from './postgres/seal/noted-checkpoints.js';
import type { Check } from './readiness.js';
import { reasonOf } from '../event-sourcing/reason-of.js';

export type Storage = ObjectStorage &
  FileContents &
  ErasableFiles & {
    /** Whether it answers, by one cheap request. */
    readonly isThere: Check;
    /** The part that keeps checkpoints. */
    readonly checkpoints: CheckpointObjects;
    /** What whoever runs the service has to know of it, as sentences; absent: nothing. */
    readonly warnings?: ReadonlyArray<string>;
    /** Of the disk that the files are on; undefined where a server keeps them. */
    readonly space?: DiskSpace;
  };

/** The folder of the files below `DATA_DIR`. */
const FILES = 'files';

type OpenOptions = {
  readonly runtime: Runtime;
  /** Whether a directory that is not there is a failure. Otherwise it is made. */
  readonly mustExist?: boolean;
};

const openOnDisk = async (
  directory: string,
  { runtime, mustExist = false }: OpenOptions,
): Promise<E.Either<StorageUnavailable, Storage>> => {
  const space = watchDiskSpace(runtime.clock, directory);
  const opened = await openDiskStorage(directory, { random: runtime.random, mustExist, space });
  if (E.isRight(opened)) return E.right({ ...opened.right, put: putWithinSpace(opened.right.put, space), space });
  await space.stop();
  return opened;
};

const openOnS3 = async (runtime: Runtime, s3: S3Config): Promise<E.Either<StorageUnavailable, Storage>> =>
  (await import('./s3/s3-storage.js')).openS3Storage(runtime, s3);

/**
 * Names where checkpoints are read, as Postgres notes what was put there. The first is the one that they are put into, the
 * second that of the files, where those are that were put before there was one for checkpoints.
 */
export const placesOfCheckpoints = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): CheckpointPlaces => {
  if (s3 === undefined) return [path.resolve(dataDir, FILES)];
  const files = `${s3.endpoint}/${s3.bucket}`;
  return s3.checkpointBucket === undefined ? [files] : [`${s3.endpoint}/${s3.checkpointBucket}`, files];
};

/** Opens the storage of files where the configuration says. The S3 client is loaded only where it is used. */
export const openStorage = async (
  { s3, dataDir }: Pick<Config, 's3' | 'dataDir'>,
  options: OpenOptions,
): Promise<E.Either<CannotOpen, Storage>> =>
  E.mapLeft(({ cause }: StorageUnavailable): CannotOpen => ({
    _tag: 'CannotOpen',
    message: `the files cannot be opened: ${reasonOf(cause)}`,
  }))(await (s3 === undefined ? openOnDisk(path.join(dataDir, FILES), options) : openOnS3(options.runtime, s3)));
