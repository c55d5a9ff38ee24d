import { access, constants, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { ObjectStorage, StorageUnavailable } from '../../application/ports.js';
import type { FileContents } from '../../read/get-file.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';
import type { DiskSpace } from '../disk-space/disk-space.js';
import { chunksWithinSpace } from '../disk-space/within-space.js';
import { openFailure } from '../open-failure.js';
import type { Check } from '../readiness.js';
import { takeBody } from '../upload-body.js';
import { checkpointFiles } from './checkpoint-files.js';
import { syncDirectory } from './durable-files.js';
import { layoutOf } from './layout.js';
import { listObjects } from './list-objects.js';
import { removeOldFiles } from './missing-files.js';
import { openObject } from './open-object.js';
import { writeObject } from './write-object.js';

const storageUnavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

/** Bytes of a body that one `put` holds at most: the chunks between the request and the file. */
const HELD_PER_PUT = 256 * 1024;

type DiskStorage = ObjectStorage & FileContents & { readonly isThere: Check; readonly checkpoints: CheckpointObjects };

/**
 * Files in a directory of this machine: one for each object, readable by their owner only. The directory is created if
 * it does not exist. Several processes may share it. With `space`, a `put` fails when the disk is down to the reserve.
 */
export const openDiskStorage = (root: string, space?: DiskSpace): Promise<E.Either<StorageUnavailable, DiskStorage>> =>
  attempt(async () => {
    const layout = layoutOf(root);
    await mkdir(layout.objects, { recursive: true, mode: 0o700 });
    await mkdir(layout.unfinished, { recursive: true, mode: 0o700 });
    const isThere = (): Promise<boolean> => access(layout.objects, constants.R_OK | constants.W_OK).then(() => true);
    const checkpoints = await checkpointFiles(root, layout, isThere);
    await syncDirectory(path.dirname(layout.objects));
    return {
      isThere,
      checkpoints,
      heldPerPut: HELD_PER_PUT,
      put: (key, body) =>
        takeBody(body, (chunks) =>
          writeObject(layout, key, space === undefined ? chunks : chunksWithinSpace(chunks, space)),
        ),
      open: (key, range) => attempt(() => openObject(layout, key, range), openFailure),
      // not synced: a removal that a power loss undoes leaves an object that no event names, and the sweep removes that
      remove: (key) => attempt(() => rm(layout.fileOf(key), { force: true }), storageUnavailable),
      list: (prefix) => listObjects(layout.objects, prefix),
      clearUnfinished: (before) => attempt(() => removeOldFiles(layout.unfinished, before), storageUnavailable),
    };
  }, storageUnavailable);
