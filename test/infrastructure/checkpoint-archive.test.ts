import { Readable } from 'node:stream';
import { expect } from 'chai';
import { makeCheckpointArchive } from '../../src/infrastructure/checkpoints/checkpoint-archive.js';
import { checkpointKey } from '../../src/infrastructure/checkpoints/checkpoint-key.js';
import type { CheckpointObjects, FoundObject } from '../../src/infrastructure/checkpoints/checkpoint-objects.js';
import type { CheckpointArchive } from '../../src/sealing/checkpoint-archive.js';
import { checkpointOf } from '../support/checkpoints.js';

const ORIGIN = 'log.example';
const COUNT = 2_000;

const FOLDER = checkpointKey({ origin: ORIGIN, size: 0 }).split('/').slice(0, -1);

/** These objects in one folder. */
const storageOf = (objects: ReadonlyArray<FoundObject>, open: () => Readable): CheckpointObjects => ({
  list: (name) => {
    const depth = name.split('/').length;
    const isLast = depth === FOLDER.length;
    return Promise.resolve({ folders: isLast ? [] : [FOLDER[depth]!], objects: isLast ? objects : [] });
  },
  open: () => Promise.resolve(open()),
  add: () => Promise.resolve(true),
  isThere: () => Promise.resolve(true),
});

const sizesIn = async (archive: CheckpointArchive): Promise<ReadonlyArray<number>> => {
  const found: Array<number> = [];
  for await (const { size } of archive.all()) found.push(size);
  return found;
};

describe('reading all checkpoints of a storage', () => {
  it('reads no more once it is to end, though it has found none yet', async () => {
    const [objects, stopping] = [
      Array.from({ length: COUNT }, (_, at) => ({ key: `${FOLDER.join('/')}/${String(at).padStart(4, '0')}` })),
      new AbortController(),
    ];
    let opened = 0;
    const storage = storageOf(objects, () => {
      opened += 1;
      if (opened === 40) stopping.abort(new Error('ended'));
      return Readable.from([Buffer.from('nothing')]);
    });
    const failed: unknown = await sizesIn(makeCheckpointArchive(storage, { signal: stopping.signal })).catch(
      (error: unknown) => error,
    );
    expect(failed).to.be.instanceOf(Error).with.property('message', 'ended');
    expect(opened).to.be.below(80);
  });

  it('looks at each object of a folder a few times, however many there are', async () => {
    const { note } = checkpointOf(ORIGIN, 1);
    let looked = 0;
    const objects = Array.from({ length: COUNT }, (_, size): FoundObject => {
      const key = checkpointKey({ origin: ORIGIN, size });
      return {
        get key() {
          looked += 1;
          return key;
        },
      };
    });
    const storage = storageOf(objects, () => Readable.from([Buffer.from(note)]));
    const unfit: Array<string> = [];
    const archive = makeCheckpointArchive(storage, { onUnfit: ({ key }) => unfit.push(key) });
    expect(await sizesIn(archive)).to.deep.equal([1]);
    expect(unfit).to.have.length(COUNT - 1);
    expect(looked).to.be.below(10 * COUNT);
  });
});
