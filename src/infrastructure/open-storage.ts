import path from 'node:path';
import { taskEither as TE } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { ObjectStorage, StorageUnavailable } from '../application/ports.js';
import type { Config, S3Config } from '../config.js';
import type { FileContents } from '../read/get-file.js';
import { openDiskStorage } from './disk/disk-storage.js';
import { type DiskSpace, watchDiskSpace } from './disk-space/disk-space.js';
import { putWithinSpace } from './disk-space/within-space.js';
import type { CannotOpen } from './cannot-open.js';
import type { Check } from './readiness.js';
import { reasonOf } from './logging/reason-of.js';

export type Storage = ObjectStorage &
  FileContents & {
    /** Whether it answers, by one cheap request. */
    readonly isThere: Check;
    /** Of the disk that the files are on; undefined where a server keeps them. */
    readonly space?: DiskSpace;
  };

/** The folder of the files below `DATA_DIR`. */
const FILES = 'files';

const openOnDisk = (directory: string): TE.TaskEither<StorageUnavailable, Storage> => {
  const space = watchDiskSpace(directory);
  return pipe(
    openDiskStorage(directory, space),
    TE.map((storage) => ({ ...storage, put: putWithinSpace(storage.put, space), space })),
    TE.orElseFirstTaskK(() => space.stop),
  );
};

const openOnS3 = (s3: S3Config): TE.TaskEither<StorageUnavailable, Storage> =>
  pipe(
    TE.fromTask(() => import('./s3/s3-storage.js').then(({ openS3Storage }) => openS3Storage)),
    TE.chain((open) => open(s3)),
  );

/** Opens the storage of files where the configuration says. The S3 client is loaded only where it is used. */
export const openStorage = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): TE.TaskEither<CannotOpen, Storage> =>
  pipe(
    s3 === undefined ? openOnDisk(path.join(dataDir, FILES)) : openOnS3(s3),
    TE.mapLeft(({ cause }) => ({ _tag: 'CannotOpen', message: `files cannot be stored: ${reasonOf(cause)}` })),
  );
