import { rm } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from './durable-files.js';
import type { Layout } from './layout.js';
import { listObjects } from './list-objects.js';
import { unlessMissing } from './missing-files.js';

/** Removes every object directly below a folder, durably, and gives the keys of those that are there afterwards. */
export const removeFolder = async (layout: Layout, folder: string): Promise<ReadonlyArray<string>> => {
  let directory: string | undefined;
  for await (const { key } of listObjects(layout.objects, `${folder}/`)) {
    const file = layout.fileOf(key);
    await rm(file, { force: true });
    directory = path.dirname(file);
  }
  // a power loss must not bring them back
  if (directory !== undefined) await unlessMissing(syncDirectory(directory));
  const left: Array<string> = [];
  for await (const { key } of listObjects(layout.objects, `${folder}/`)) left.push(key);
  return left;
};
