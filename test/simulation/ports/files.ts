import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { either as E } from 'fp-ts';
import type { CheckpointObjects } from '../../../src/infrastructure/checkpoints/checkpoint-objects.js';
import type { Storage } from '../../../src/infrastructure/open-storage.js';
import { takeBody } from '../../../src/infrastructure/upload-body.js';
import type { MemoryFiles } from '../../support/memory-adapters/memory-files.js';
import type { Failure, Way } from '../way.js';
import { ofFiles } from './failures.js';

const thrown = (failure: Failure): Promise<never> => Promise.reject(ofFiles(failure));

const unavailable = (failure: Failure) =>
  Promise.resolve(E.left({ _tag: 'StorageUnavailable' as const, cause: ofFiles(failure) }));

const checkpointsBy = (way: Way, objects: CheckpointObjects): CheckpointObjects => ({
  list: (folder, from) => way.call('list checkpoints', () => objects.list(folder, from), thrown),
  open: (object) => way.call('open checkpoint', () => objects.open(object), thrown),
  // what is repeated is the request by which it is put there, and not whether it is there
  add: (key, content) => {
    let isAdded: Promise<boolean> | undefined;
    return way.call('add', () => (isAdded ??= objects.add(key, content)), thrown);
  },
  isThere: () => way.call('is there', objects.isThere, thrown),
});

/** A body that fails in its midst. */
const halfOf = (content: Buffer): Readable =>
  Readable.from(
    (function* () {
      yield content.subarray(0, content.length / 2);
      throw ofFiles('Lost');
    })(),
    { objectMode: false },
  );

/** The storage of files, as a process reaches it. `breaksOff`: whether this upload ends in its midst. */
export const filesBy = (way: Way, breaksOff: () => boolean, files: MemoryFiles): Storage => ({
  heldPerPut: files.heldPerPut,
  put: (key, body) =>
    takeBody(body, async (chunks) => {
      const upload = files.beginUpload();
      const content = await buffer(chunks);
      const isWhole = !breaksOff();
      const store = () => upload(key, isWhole ? Readable.from([content], { objectMode: false }) : halfOf(content));
      const put = await way.call('put', store, thrown);
      if (!isWhole) throw ofFiles('Lost');
      if (E.isLeft(put)) throw new Error('the storage has not taken the object', { cause: put.left.cause });
    }),
  open: (key, range) =>
    way.call(
      'open',
      () => files.open(key, range),
      (failure) => Promise.resolve(E.left({ _tag: 'FileUnavailable', cause: ofFiles(failure) })),
    ),
  remove: (key) => way.call('remove', () => files.remove(key), unavailable),
  removeForGood: (folder) => way.call('remove', () => files.removeForGood(folder), unavailable),
  list: (prefix) => way.pull('list', files.list(prefix), thrown),
  clearUnfinished: (before) => way.call('clear unfinished', () => files.clearUnfinished(before), unavailable),
  isThere: () => way.call('is there', files.isThere, thrown),
  checkpoints: checkpointsBy(way, files.checkpoints),
});
