import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import type { StoredObject } from '../../application/ports.js';
import { keyOf } from './layout.js';
import { unlessMissing } from './unless-missing.js';

async function* listShard(shard: string, prefix: string): AsyncGenerator<StoredObject, void> {
  for await (const { name } of await opendir(shard)) {
    const key = keyOf(name);
    if (key?.startsWith(prefix) !== true) continue;
    // a file may be removed between its name being read and it being looked at
    const file = await unlessMissing(lstat(path.join(shard, name)));
    if (file?.isFile() === true) yield { key, size: file.size, modifiedAt: file.mtime };
  }
}

/** Every object below the directory whose key begins with `prefix`, in the order the file system gives them, a few names at a time. */
export async function* listObjects(objects: string, prefix: string): AsyncGenerator<StoredObject, void> {
  for await (const shard of await opendir(objects)) {
    if (shard.isDirectory()) yield* listShard(path.join(objects, shard.name), prefix);
  }
}
