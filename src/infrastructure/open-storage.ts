import path from 'node:path';
import { taskEither as TE } from 'fp-ts';
import { pipe } from 'fp-ts/lib/function.js';
import type { ObjectStorage } from '../application/ports.js';
import type { Config } from '../config.js';
import type { FileContents } from '../read/get-file.js';
import { openDiskStorage } from './disk/disk-storage.js';
import type { CannotOpen } from './cannot-open.js';
import type { Check } from './readiness.js';
import { reasonOf } from './logging/reason-of.js';

export type Storage = ObjectStorage &
  FileContents & {
    /** Whether it answers, by one cheap request. */
    readonly isThere: Check;
  };

/** The folder of the files below `DATA_DIR`. */
const FILES = 'files';

/** Opens the storage of files where the configuration says. The S3 client is loaded only where it is used. */
export const openStorage = ({ s3, dataDir }: Pick<Config, 's3' | 'dataDir'>): TE.TaskEither<CannotOpen, Storage> =>
  pipe(
    s3 === undefined
      ? openDiskStorage(path.join(dataDir, FILES))
      : pipe(
          TE.fromTask(() => import('./s3/s3-storage.js').then(({ openS3Storage }) => openS3Storage)),
          TE.chain((open) => open(s3)),
        ),
    TE.mapLeft(({ cause }) => ({ _tag: 'CannotOpen', message: `files cannot be stored: ${reasonOf(cause)}` })),
  );
