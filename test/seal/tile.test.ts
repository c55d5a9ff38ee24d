import { expect } from 'chai';
import { partialTiles, tileWidth } from '../../src/seal/tile.js';

describe('the tiles of a tree', () => {
  it('are as wide as the tree has hashes for them', () => {
    // the example of the specification
    const widths = (level: number, ...indexes: ReadonlyArray<number>): ReadonlyArray<number> =>
      indexes.map((index) => tileWidth(level, index, 70_000));
    expect(widths(0, 0, 272, 273, 274, 2 ** 53 - 1)).to.deep.equal([256, 256, 112, 0, 0]);
    expect(widths(1, 0, 1, 2)).to.deep.equal([256, 17, 0]);
    expect(widths(2, 0, 1)).to.deep.equal([1, 0]);
    expect(widths(3, 0)).to.deep.equal([0]);
    expect(widths(63, 0, 1)).to.deep.equal([0, 0]);
    expect(tileWidth(0, 0, 0)).to.equal(0);
  });

  it('are not all full at the right edge', () => {
    expect(partialTiles(0)).to.deep.equal([]);
    expect(partialTiles(256)).to.deep.equal([{ level: 1, index: 0, width: 1 }]);
    expect(partialTiles(70_000)).to.deep.equal([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
  });
});
