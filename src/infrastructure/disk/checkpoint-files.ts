import { access, mkdir, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { CHECKPOINTS } from '../checkpoints/checkpoint-key.js';
import type { CheckpointObjects } from '../checkpoints/checkpoint-objects.js';
import { errorCode } from '../error-code.js';
import { requireObjectKey } from '../object-key.js';
import { linkDurably, syncDirectory } from './durable-files.js';
import type { Layout } from './layout.js';
import { unlessMissing } from './missing-files.js';
import { openObject } from './open-object.js';
import { writeDurably } from './write-object.js';
import type { Random } from '../../event-sourcing/random.js';

/** Nobody may write to it, its owner neither. */
const READ_ONLY = 0o444;

/** Checkpoints have a folder of their own, which neither the listing of files nor their removal ever enters. */
const layoutOfCheckpoints = (root: string, { unfinished }: Pick<Layout, 'unfinished'>): Layout => ({
  objects: path.join(root, CHECKPOINTS),
  unfinished,
  fileOf: (key) => {
    requireObjectKey(key);
    return path.join(root, ...key.split('/'));
  },
});

/**
 * Makes the directories between `root` and `directory`, and their names durable. `root` must be there: a disk that is not
 * mounted lacks it.
 */
const makeDirectories = async (root: string, directory: string): Promise<void> => {
  if (directory === root) return;
  const parent = path.dirname(directory);
  await makeDirectories(root, parent);
  try {
    await mkdir(directory, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  await syncDirectory(parent);
};

const add = async (
  random: Random,
  { objects, unfinished, fileOf }: Layout,
  key: string,
  content: Buffer,
): Promise<boolean> => {
  const target = fileOf(key);
  const temporary = path.join(unfinished, random.uuid());
  try {
    await writeDurably(await open(temporary, 'wx', READ_ONLY), [content]);
    await makeDirectories(objects, path.dirname(target));
    return await linkDurably(temporary, target);
  } finally {
    await rm(temporary, { force: true });
  }
};

/** The part of the disk storage that keeps checkpoints: files that are written once, synced, and read-only. */
export const checkpointFiles = async (
  random: Random,
  root: string,
  files: Pick<Layout, 'unfinished'>,
  isThere: () => Promise<boolean>,
): Promise<CheckpointObjects> => {
  const layout = layoutOfCheckpoints(root, files);
  await mkdir(layout.objects, { recursive: true, mode: 0o700 });
  return {
    list: async (folder, from) => {
      const entries = await unlessMissing(readdir(layout.fileOf(folder), { withFileTypes: true }));
      // a disk that is not mounted lacks every folder, and that is another thing
      if (entries === undefined) await access(layout.objects);
      const listed = (entries ?? []).filter(({ name }) => name >= from);
      return {
        folders: listed.filter((entry) => entry.isDirectory()).map(({ name }) => name),
        objects: listed.filter((entry) => !entry.isDirectory()).map(({ name }) => ({ key: `${folder}/${name}` })),
      };
    },
    open: ({ key }) => openObject(layout, key),
    add: (key, content) => add(random, layout, key, content),
    isThere,
  };
};
