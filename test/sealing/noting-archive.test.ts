import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { notingArchive } from '../../src/sealing/noting-archive.js';
import { checkpointOf } from '../support/checkpoints.js';
import { makeMemoryArchive } from '../support/memory-archive.js';

const ORIGIN = 'log.example';

/** An archive that is noted in memory, where a test may take the database away. */
const open = () => {
  const notes = { sizes: [] as Array<number>, isAway: false };
  const unlessAway = <A>(answer: () => A): Promise<A> =>
    notes.isAway ? Promise.reject(new Error('no database')) : Promise.resolve(answer());
  const storage = makeMemoryArchive();
  const removed: Array<number> = [];
  const archive = notingArchive(storage, {
    notes: {
      note: ({ size }) => unlessAway(() => void notes.sizes.push(size)),
      largestOf: () => unlessAway(() => (notes.sizes.length === 0 ? undefined : Math.max(...notes.sizes))),
    },
    onRemoved: ({ size }) => removed.push(size),
  });
  const largest = async (beyond = -1): Promise<number | undefined> => {
    const found = await archive.largestOf(ORIGIN, beyond);
    if (E.isLeft(found)) throw new Error('not asked', { cause: found.left.cause });
    return found.right?.size;
  };
  return { archive, storage, notes, removed, largest };
};

describe('an archive whose checkpoints are noted', () => {
  it('notes what was put, and nothing that was not', async () => {
    const { archive, storage, notes } = open();
    await archive.put(checkpointOf(ORIGIN, 3));
    storage.isAway = true;
    expect(E.isLeft(await archive.put(checkpointOf(ORIGIN, 5)))).to.equal(true);
    expect(notes.sizes).to.deep.equal([3]);
  });

  it('does not take for put what could not be noted', async () => {
    const { archive, storage, notes } = open();
    notes.isAway = true;
    expect(E.isLeft(await archive.put(checkpointOf(ORIGIN, 3)))).to.equal(true);
    expect(storage.kept.map(({ size }) => size)).to.deep.equal([3]);
  });

  it('gives the largest as the storage does, also where nothing is noted', async () => {
    const { archive, storage, largest, removed } = open();
    expect(await largest()).to.equal(undefined);
    storage.kept.push(checkpointOf(ORIGIN, 2));
    expect(await largest()).to.equal(2);
    await archive.put(checkpointOf(ORIGIN, 4));
    expect([await largest(), await largest(3), await largest(4), removed]).to.deep.equal([4, 4, undefined, []]);
  });

  it('says once of each that it is not there any more, and gives the largest that is', async () => {
    const { archive, storage, largest, removed } = open();
    for (const size of [3, 6]) await archive.put(checkpointOf(ORIGIN, size));
    storage.kept.pop();
    expect([await largest(), await largest(6), removed]).to.deep.equal([3, undefined, [6]]);
    await archive.put(checkpointOf(ORIGIN, 8));
    storage.kept.splice(0);
    expect([await largest(8), await largest(8), removed]).to.deep.equal([undefined, undefined, [6, 8]]);
  });

  it('says that one over a single event is not there any more', async () => {
    const { archive, storage, largest, removed } = open();
    await archive.put(checkpointOf(ORIGIN, 1));
    storage.kept.splice(0);
    expect([await largest(), removed]).to.deep.equal([undefined, [1]]);
  });

  it('cannot be asked while the database or the storage is away, and says which', async () => {
    const { archive, storage, notes, removed } = open();
    await archive.put(checkpointOf(ORIGIN, 3));
    const why = async () => {
      const failed = await archive.largestOf(ORIGIN, -1);
      if (E.isRight(failed)) return undefined;
      const { _tag, cause } = failed.left;
      return [_tag, String(cause)];
    };
    storage.isAway = true;
    expect(await why()).to.deep.equal(['StorageUnavailable', 'Error: away']);
    notes.isAway = true;
    expect([await why(), removed]).to.deep.equal([['StorageUnavailable', 'Error: no database'], []]);
  });
});
