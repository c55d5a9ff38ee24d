import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { sortCheckpoints } from '../../src/sealing/sorted-checkpoints.js';
import { draw } from '../support/draw.js';

const rootOf = (size: number): Buffer => createHash('sha256').update(String(size)).digest();

describe('sorted checkpoints', () => {
  it('come in the order of their sizes, each with its own root, however many there are', async () => {
    for (const count of [0, 1, 1_024, 1_025, 5_000]) {
      const sizes = draw(
        fc.shuffledSubarray(
          Array.from({ length: count }, (_, at) => at),
          { minLength: count },
        ),
      );
      // eslint-disable-next-line @typescript-eslint/require-await -- a storage is asynchronous, memory is not
      const inAnyOrder = async function* () {
        for (const size of sizes) yield { size, root: rootOf(size) };
      };
      const sorted = await sortCheckpoints(inAnyOrder());
      for (let size = 0; size < count; size += 1) {
        const found = sorted.peek();
        expect([found?.size, found?.root.equals(rootOf(size))]).to.deep.equal([size, true]);
        sorted.next();
      }
      expect(sorted.peek()).to.equal(undefined);
    }
  });
});
