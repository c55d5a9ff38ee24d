import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { ErasableFiles, ObjectStorage, StoredObject } from '../../../src/application/ports.js';
import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { CheckpointObjects } from '../../../src/infrastructure/checkpoints/checkpoint-objects.js';
import { NoSuchObject } from '../../../src/infrastructure/open-failure.js';
import type { Storage } from '../../../src/infrastructure/open-storage.js';
import { takeBody } from '../../../src/infrastructure/upload-body.js';
import type { FileContents } from '../../../src/read/get-file.js';

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

type Kept = { readonly content: Buffer; readonly modifiedAt: Date };

/** An upload that has begun, and is dated by that. */
type BeginUpload = { readonly beginUpload: () => ObjectStorage['put'] };

const objectsOf = (clock: Pick<Clock, 'date'>): ObjectStorage & FileContents & ErasableFiles & BeginUpload => {
  const [objects, unfinished] = [new Map<string, Kept>(), new Map<number, Date>()];
  let uploads = 0;
  const beginUpload: BeginUpload['beginUpload'] = () => {
    const [upload, modifiedAt] = [(uploads += 1), clock.date()];
    // of one that fails it stays
    unfinished.set(upload, modifiedAt);
    return (key, body) =>
      takeBody(body, async (chunks) => {
        const content: Array<Uint8Array> = [];
        for await (const chunk of chunks) content.push(Buffer.from(chunk));
        objects.set(key, { content: Buffer.concat(content), modifiedAt });
        unfinished.delete(upload);
      });
  };
  return {
    beginUpload,
    heldPerPut: 0,
    put: (key, body) => beginUpload()(key, body),
    open: (key, range) => {
      const content = objects.get(key)?.content;
      if (content === undefined)
        return Promise.resolve(E.left({ _tag: 'FileMissing', reason: 'there is no such object' }));
      if (range !== undefined && range.last >= content.length)
        return Promise.resolve(E.left({ _tag: 'FileTooShort', reason: `the object has ${content.length} bytes` }));
      const bytes = range === undefined ? content : content.subarray(range.first, range.last + 1);
      return Promise.resolve(E.right(Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false })));
    },
    remove: (key) => {
      objects.delete(key);
      return Promise.resolve(E.right(undefined));
    },
    removeForGood: (folder) => {
      for (const key of objects.keys()) if (key.startsWith(`${folder}/`)) objects.delete(key);
      return Promise.resolve(E.right([]));
    },
    // eslint-disable-next-line @typescript-eslint/require-await -- the port is asynchronous, memory is not
    list: async function* (prefix): AsyncGenerator<StoredObject> {
      for (const [key, { content, modifiedAt }] of objects)
        if (key.startsWith(prefix)) yield { key, size: content.length, modifiedAt };
    },
    clearUnfinished: (before) => {
      const old = [...unfinished].filter(([, begun]) => begun < before);
      for (const [upload] of old) unfinished.delete(upload);
      return Promise.resolve(E.right(old.length));
    },
  };
};

export type MemoryFiles = Storage & BeginUpload & { readonly checkpointNotes: ReadonlyMap<string, Buffer> };

/**
 * A storage of files in memory: any number of processes of a test share one, which has a clock of its own. `checkpointNotes` is
 * what it keeps, by key.
 */
export const makeMemoryFiles = (clock: Pick<Clock, 'date'>): MemoryFiles => {
  const checkpointNotes = new Map<string, Buffer>();
  return {
    ...objectsOf(clock),
    isThere: () => Promise.resolve(true),
    checkpoints: checkpointsIn(checkpointNotes),
    checkpointNotes,
  };
};
