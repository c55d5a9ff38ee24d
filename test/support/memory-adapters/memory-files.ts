import { Readable } from 'node:stream';
import type { CheckpointObjects } from '../../../src/infrastructure/checkpoints/checkpoint-objects.js';
import { NoSuchObject } from '../../../src/infrastructure/open-failure.js';
import type { Storage } from '../../../src/infrastructure/open-storage.js';
import { FakeObjectStorage } from '../fake-object-storage.js';

const checkpointsIn = (kept: Map<string, Buffer>): CheckpointObjects => ({
  list: (folder, from) => {
    const below = [...kept.keys()]
      .filter((key) => key.startsWith(`${folder}/`))
      .map((key) => key.slice(folder.length + 1));
    const folders = new Set(below.filter((name) => name.includes('/')).map((name) => name.slice(0, name.indexOf('/'))));
    return Promise.resolve({
      folders: [...folders].filter((name) => name >= from),
      objects: below
        .filter((name) => !name.includes('/') && name >= from)
        .map((name) => ({ key: `${folder}/${name}` })),
    });
  },
  open: ({ key }) => {
    const content = kept.get(key);
    return content === undefined
      ? Promise.reject(new NoSuchObject(key))
      : Promise.resolve(Readable.from([content], { objectMode: false }));
  },
  add: (key, content) => {
    if (kept.has(key)) return Promise.resolve(false);
    kept.set(key, Buffer.from(content));
    return Promise.resolve(true);
  },
  isThere: () => Promise.resolve(true),
});

/** A storage of files in memory: any number of processes of a test share one. `checkpointNotes` is what it keeps, by key. */
export const makeMemoryFiles = (): Storage & { readonly checkpointNotes: ReadonlyMap<string, Buffer> } => {
  const checkpointNotes = new Map<string, Buffer>();
  return Object.assign(new FakeObjectStorage(), {
    isThere: () => Promise.resolve(true),
    checkpoints: checkpointsIn(checkpointNotes),
    checkpointNotes,
  });
};
