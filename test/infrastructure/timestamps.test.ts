import { Readable } from 'node:stream';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { checkpointKey } from '../../src/infrastructure/checkpoints/checkpoint-key.js';
import type { CheckpointObjects } from '../../src/infrastructure/checkpoints/checkpoint-objects.js';
import { makeKeepTimestamp, stampedCheckpoints } from '../../src/infrastructure/checkpoints/timestamps.js';
import { checkpointOf } from '../support/checkpoints.js';

const ORIGIN = 'log.example';

/** A storage in memory, and how many objects of it were read. */
const makeStorage = () => {
  const contents = new Map<string, Buffer>();
  let opened = 0;
  const objects: CheckpointObjects = {
    list: (folder, from) => {
      const names = [...contents.keys()]
        .filter((key) => key.startsWith(`${folder}/`))
        .map((key) => key.slice(folder.length + 1))
        .filter((name) => name.split('/')[0]! >= from);
      const folders = names.flatMap((name) => (name.includes('/') ? [name.split('/')[0]!] : []));
      const found = names.filter((name) => !name.includes('/')).map((name) => ({ key: `${folder}/${name}` }));
      return Promise.resolve({ folders: [...new Set(folders)], objects: found });
    },
    open: ({ key }) => {
      opened += 1;
      return Promise.resolve(Readable.from([contents.get(key) ?? Buffer.alloc(0)]));
    },
    add: (key, content) => Promise.resolve(contents.set(key, content).has(key)),
    isThere: () => Promise.resolve(true),
  };
  return { objects, contents, opened: () => opened };
};

const found = async (objects: CheckpointObjects, least: number): Promise<ReadonlyArray<number | string>> => {
  const all: Array<number | string> = [];
  for await (const one of stampedCheckpoints(objects, ORIGIN, least))
    all.push(E.isRight(one) ? one.right.checkpoint.size : one.left.reason);
  return all;
};

describe('timestamps in a storage', () => {
  const keep = async (objects: CheckpointObjects, size: number, origin = ORIGIN): Promise<void> => {
    const checkpoint = checkpointOf(origin, size);
    await objects.add(checkpointKey(checkpoint), Buffer.from(checkpoint.note));
    await makeKeepTimestamp(objects)(checkpoint, Buffer.from(`about ${size}`));
  };

  it('are found from the largest checkpoint down to one of so many events, of one origin', async () => {
    const { objects } = makeStorage();
    for (const size of [9, 10_000, 30, 123_456_789, 31]) await keep(objects, size);
    await keep(objects, 50, 'other.example');
    expect(await found(objects, 0)).to.deep.equal([123_456_789, 10_000, 31, 30, 9]);
    expect(await found(objects, 31)).to.deep.equal([123_456_789, 10_000, 31]);
    expect(await found(objects, 123_456_790)).to.deep.equal([]);
    for await (const one of stampedCheckpoints(objects, ORIGIN, 123_456_789))
      expect(E.isRight(one) && one.right.answer.toString()).to.equal('about 123456789');
  });

  it('are not what has no checkpoint beside it, or another one, or is too long', async () => {
    const { objects, contents } = makeStorage();
    for (const size of [1, 2, 3, 4]) await keep(objects, size);
    const [, second = '', third = '', fourth = ''] = [1, 2, 3, 4].map((size) =>
      checkpointKey({ origin: ORIGIN, size }),
    );
    contents.delete(second);
    contents.set(third, Buffer.from(checkpointOf(ORIGIN, 5).note));
    contents.set(fourth.replace('checkpoints/', 'checkpoints/timestamps/'), Buffer.alloc(65_537));
    expect(await found(objects, 0)).to.deep.equal([
      'it is no regular object, or longer than any timestamp',
      `${third} is not its checkpoint: its key is not that of the checkpoint in it`,
      'there is no checkpoint beside it',
      1,
    ]);
  });

  it('are looked at a few times, however many there are that are none', async () => {
    const { objects, opened } = makeStorage();
    for (let size = 1; size <= 500; size += 1)
      await makeKeepTimestamp(objects)(checkpointOf(ORIGIN, size), Buffer.of(0));
    expect(await found(objects, 0)).to.have.length(8);
    expect(opened()).to.equal(8);
  });
});
