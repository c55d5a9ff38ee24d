import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import type { StoredObject } from '../../application/ports.js';
import { keyOf } from './layout.js';
import { unlessMissing } from './missing-files.js';

async function* listShard(shard: string, prefix: string): AsyncGenerator<StoredObject, void> {
  for await (const { name } of await opendir(shard)) {
    const key = keyOf(name);
    if (key?.startsWith(prefix) !== true) continue;
    // another process may have removed the file since its name was read
    const stats = await unlessMissing(lstat(path.join(shard, name)));
    if (stats?.isFile() === true) yield { key, size: stats.size, modifiedAt: stats.mtime };
  }
}

/** Every object whose key begins with `prefix`, in the order of the file system. Reads a few names at a time. */
export async function* listObjects(objects: string, prefix: string): AsyncGenerator<StoredObject, void> {
  for await (const shard of await opendir(objects)) {
    if (shard.isDirectory()) yield* listShard(path.join(objects, shard.name), prefix);
  }
}
