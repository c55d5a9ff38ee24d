import { access, constants, mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { either as E } from 'fp-ts';
import { attempt } from '../../event-sourcing/attempt.js';
import type { ErasableFiles, ObjectStorage, StorageUnavailable } from '../../application/ports.js';
import type { FileContents } from '../../read/get-file.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';
import type { DiskSpace } from '../disk-space/disk-space.js';
import { chunksWithinSpace } from '../disk-space/within-space.js';
import { openFailure } from '../open-failure.js';
import type { Check } from '../readiness.js';
import { takeBody } from '../upload-body.js';
import { checkpointFiles } from './checkpoint-files.js';
import { syncDirectory } from './durable-files.js';
import { type Layout, layoutOf } from './layout.js';
import { listObjects } from './list-objects.js';
import { removeFolder } from './remove-folder.js';
import { removeOldFiles, unlessMissing } from './missing-files.js';
import { openObject } from './open-object.js';
import { prepareDirectory } from './usable-directory.js';
import { writeObject } from './write-object.js';
import type { Random } from '../../event-sourcing/random.js';

const storageUnavailable = (cause: unknown): StorageUnavailable => ({ _tag: 'StorageUnavailable', cause });

/** Bytes of a body that one `put` holds at most: the chunks between the request and the file. */
const HELD_PER_PUT = 256 * 1024;

type DiskStorageOptions = {
  /** Names files that are not finished. */
  readonly random: Random;
  /** With it, a `put` fails when the disk is down to the reserve. */
  readonly space?: DiskSpace;
  /** Fails where there is no directory, and creates none. */
  readonly mustExist?: boolean;
};

type DiskStorage = ObjectStorage &
  FileContents &
  ErasableFiles & { readonly isThere: Check; readonly checkpoints: CheckpointObjects };

const makeFolders = async (random: Random, root: string, { objects, unfinished }: Layout): Promise<void> => {
  await prepareDirectory(random, root, 0o700);
  await mkdir(objects, { recursive: true, mode: 0o700 });
  await mkdir(unfinished, { recursive: true, mode: 0o700 });
  await syncDirectory(path.dirname(objects));
};

/**
 * Files in a directory of this machine: one for each object, readable by their owner only. The directory is created if
 * it does not exist, unless it must. Several processes may share it.
 */
export const openDiskStorage = (
  root: string,
  { random, space, mustExist = false }: DiskStorageOptions,
): Promise<E.Either<StorageUnavailable, DiskStorage>> =>
  attempt(async () => {
    const layout = layoutOf(root);
    if (!mustExist) await makeFolders(random, root, layout);
    else if ((await unlessMissing(access(layout.objects).then(() => true))) === undefined)
      throw new Error(`there are none in ${path.resolve(root)}`);
    const isThere = (): Promise<boolean> => access(layout.objects, constants.R_OK | constants.W_OK).then(() => true);
    const checkpoints = await checkpointFiles(random, root, layout, isThere);
    return {
      isThere,
      checkpoints,
      heldPerPut: HELD_PER_PUT,
      put: (key, body) =>
        takeBody(body, (chunks) =>
          writeObject(random, layout, key, space === undefined ? chunks : chunksWithinSpace(chunks, space)),
        ),
      open: (key, range) => attempt(() => openObject(layout, key, range), openFailure),
      // not synced: a removal that a power loss undoes leaves an object that no event names, and the sweep removes that
      remove: (key) => attempt(() => rm(layout.fileOf(key), { force: true }), storageUnavailable),
      removeForGood: (folder) => attempt(() => removeFolder(layout, folder), storageUnavailable),
      list: (prefix) => listObjects(layout.objects, prefix),
      clearUnfinished: (before) => attempt(() => removeOldFiles(layout.unfinished, before), storageUnavailable),
    };
  }, storageUnavailable);
