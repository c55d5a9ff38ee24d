import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { EMPTY_ROOT, type Hash, nodeHash } from '../../src/seal/hash.js';
import { appendLeaves, edgeRoot, emptyEdge, readEdge } from '../../src/seal/tree-edge.js';
import { keyOf, right, treeOf } from '../support/sealed-tree.js';

const large = treeOf('edge', 70_000);
const { leaves: manyLeaves } = large;

const known = new Map<string, Hash>();

/** MTH of RFC 6962, word for word, of the leaves from `from` to before `to`. */
const merkleTreeHash = (from: number, to: number): Hash => {
  if (to - from <= 1) return from === to ? EMPTY_ROOT : manyLeaves[from]!;
  const half = from + 2 ** Math.floor(Math.log2(to - from - 1));
  const root = known.get(`${from}-${to}`) ?? nodeHash(merkleTreeHash(from, half), merkleTreeHash(half, to));
  known.set(`${from}-${to}`, root);
  return root;
};

/** All tiles of the tree, by the definition of C2SP tlog-tiles, in base64. */
const tilesByDefinition = (size: number): ReadonlyMap<string, string> => {
  const tiles = new Map<string, string>();
  for (let level = 0; 256 ** level <= size; level += 1) {
    const span = 256 ** level;
    const hashes = Array.from({ length: Math.floor(size / span) }, (_, index) =>
      merkleTreeHash(index * span, (index + 1) * span),
    );
    for (let index = 0; index * 256 < hashes.length; index += 1)
      tiles.set(
        keyOf({ level, index }),
        Buffer.concat(hashes.slice(index * 256, (index + 1) * 256)).toString('base64'),
      );
  }
  return tiles;
};

const inBase64 = (tiles: ReadonlyMap<string, Buffer>): ReadonlyMap<string, string> =>
  new Map([...tiles].map(([key, hashes]) => [key, hashes.toString('base64')]));

const sizes = fc.oneof(fc.nat(600), fc.constantFrom(255, 256, 257, 511, 512, 513, 65_535, 65_536, 65_537, 70_000));
const batches = fc.array(fc.oneof(fc.nat(3), fc.nat(700), fc.constantFrom(255, 256, 512)), { maxLength: 8 });

describe('the edge of a tree', () => {
  it('has the root and the tiles of the definition, whatever was appended at a time', () => {
    fc.assert(
      fc.property(batches, (counts) => {
        const tiles = new Map<string, Buffer>();
        let edge = emptyEdge;
        for (const count of counts) {
          const appended = appendLeaves(edge, manyLeaves.slice(edge.size, edge.size + count));
          for (const tile of appended.tiles) tiles.set(keyOf(tile), tile.hashes);
          ({ edge } = appended);
          expect(edgeRoot(edge)).to.deep.equal(merkleTreeHash(0, edge.size));
          expect(inBase64(tiles)).to.deep.equal(tilesByDefinition(edge.size));
        }
      }),
      { numRuns: 30 },
    );
  });

  it('has them when every batch fills a tile', () => {
    expect(inBase64(treeOf('edge', 66_048, 256).tiles)).to.deep.equal(tilesByDefinition(66_048));
  });

  it('has them with three levels of tiles, too', () => {
    expect(large.root).to.deep.equal(merkleTreeHash(0, 70_000));
    expect(inBase64(large.tiles)).to.deep.equal(tilesByDefinition(70_000));
    // the example of the specification
    expect([...large.tiles.keys()].filter((key) => key.startsWith('0/'))).to.have.length(274);
    expect(['0/273', '1/0', '1/1', '2/0'].map((key) => large.tiles.get(key)!.length / 32)).to.deep.equal([
      112, 256, 17, 1,
    ]);
  });

  it('gives the tiles that changed, and no other', () => {
    const { edge } = treeOf('edge', 600);
    const placesOf = (count: number): ReadonlyArray<string> =>
      appendLeaves(edge, manyLeaves.slice(600, 600 + count)).tiles.map(keyOf);
    expect(placesOf(0)).to.deep.equal([]);
    expect(placesOf(1)).to.deep.equal(['0/2']);
    expect(placesOf(168)).to.deep.equal(['0/2', '1/0']);
    expect(placesOf(169)).to.deep.equal(['0/2', '0/3', '1/0']);
  });

  it('leaves the edge that was appended to as it is, so that a batch may be tried again', () => {
    const { edge } = treeOf('edge', 300);
    const [first, again] = [1, 2].map(() => appendLeaves(edge, manyLeaves.slice(300, 900)));
    expect(first).to.deep.equal(again);
    expect(edge).to.deep.equal(treeOf('edge', 300).edge);
  });

  it('is read again from the tiles of any size, newer and wider ones as well', async () => {
    await fc.assert(
      fc.asyncProperty(sizes, async (size) => {
        const edge = right(await readEdge(size, large.read));
        expect(edgeRoot(edge)).to.deep.equal(merkleTreeHash(0, size));
        const more = appendLeaves(edge, manyLeaves.slice(size, size + 300));
        expect(edgeRoot(more.edge)).to.deep.equal(merkleTreeHash(0, more.edge.size));
        const all = tilesByDefinition(more.edge.size);
        for (const tile of more.tiles) expect(tile.hashes.toString('base64')).to.equal(all.get(keyOf(tile)));
      }),
      { numRuns: 40 },
    );
  });

  it('is read in one call, of one tile of each level at most', async () => {
    const before = large.reads.length;
    await readEdge(70_000, large.read);
    expect(large.reads).to.have.length(before + 1);
    expect(large.reads.at(-1)!.map(keyOf)).to.deep.equal(['0/273', '1/1', '2/0']);
  });

  it('is not read from a store that lacks a tile, or the end of one', async () => {
    const tree = treeOf('edge', 300);
    const incomplete = E.left({ _tag: 'TileIncomplete', tile: { level: 0, index: 1, width: 45 } });
    expect(await readEdge(301, tree.read)).to.deep.equal(incomplete);
    const nothing = E.left({ _tag: 'TileIncomplete', tile: { level: 0, index: 1, width: 44 } });
    expect(await readEdge(300, () => Promise.resolve(E.right([])))).to.deep.equal(nothing);
  });

  it('hands on why the store could not be read', async () => {
    expect(await readEdge(300, () => Promise.resolve(E.left('away')))).to.deep.equal(E.left('away'));
  });
});
