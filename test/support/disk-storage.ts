import { either as E } from 'fp-ts';
import type { ErasableFiles, ObjectStorage } from '../../src/application/ports.js';
import { openDiskStorage } from '../../src/infrastructure/disk/disk-storage.js';
import type { CheckpointObjects } from '../../src/infrastructure/checkpoints/checkpoint-objects.js';
import type { FileContents } from '../../src/read/get-file.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

type DiskStorage = ObjectStorage & FileContents & ErasableFiles & { readonly checkpoints: CheckpointObjects };

export const diskStorage = async (root: string): Promise<DiskStorage> => {
  const opened = await openDiskStorage(root, { random: systemRuntime.random });
  if (E.isLeft(opened)) throw new Error('cannot open the storage', { cause: opened.left.cause });
  return opened.right;
};
