import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { EMPTY_ROOT, type Hash } from '../../src/seal/hash.js';
import { proveConsistency, proveInclusion, treeRoot } from '../../src/seal/proofs.js';
import { verifyConsistency, verifyInclusion } from '../../src/seal/verify-proofs.js';
import { flipBit, right, treeOf, treeOver } from '../support/sealed-tree.js';

const MOST = 300;
const tree = treeOf('proofs', MOST);
const { leaves, read } = tree;

// proofs.long.test.ts has all
const sizes = [...Array.from({ length: 40 }, (_, before) => before + 1), 127, 128, 129, 255, 256, 257, MOST];

const roots: Array<Hash> = [];

const headOf = (size: number) => ({ size, root: roots[size]! });

const inclusionOf = async (index: number, size: number): Promise<ReadonlyArray<Hash>> =>
  right(await proveInclusion(index, size, read));

const consistencyOf = async (oldSize: number, size: number): Promise<ReadonlyArray<Hash>> =>
  right(await proveConsistency(oldSize, size, read));

/** The same list with another one in place of a value. */
const replaced = <A>(list: ReadonlyArray<A>, at: number, value: A): ReadonlyArray<A> =>
  list.map((old, index) => (index === at ? value : old));

/** A list with a value less, and with one more at either end. */
const otherLengths = (proof: ReadonlyArray<Hash>): ReadonlyArray<ReadonlyArray<Hash>> => [
  ...(proof.length > 0 ? [proof.slice(1), proof.slice(0, -1)] : []),
  [leaves[0]!, ...proof],
  [...proof, leaves[0]!],
];

const pairs = fc
  .tuple(fc.integer({ min: 1, max: MOST }), fc.nat())
  .map(([size, part]) => ({ size, index: part % size, oldSize: 1 + (part % size) }));
const bit = fc.nat(255);

describe('proofs', () => {
  before(async () => {
    for (let size = 0; size <= MOST; size += 1) roots.push(right(await treeRoot(size, read)));
  });

  it('find the root of every earlier size', () => {
    for (let size = 0; size <= MOST; size += 1)
      expect(roots[size]).to.deep.equal(treeOf('proofs', size).root, `of ${size}`);
  });

  it('show that every leaf is in the tree', async () => {
    for (const size of sizes)
      for (let index = 0; index < size; index += 1) {
        const proof = await inclusionOf(index, size);
        if (!verifyInclusion(leaves[index]!, index, headOf(size), proof)) expect.fail(`${index} of ${size}`);
      }
  });

  it('show that a tree extends every earlier one', async () => {
    for (const size of sizes)
      for (let oldSize = 0; oldSize <= size; oldSize += 1) {
        const proof = await consistencyOf(oldSize, size);
        if (!verifyConsistency(headOf(oldSize), headOf(size), proof)) expect.fail(`${oldSize} of ${size}`);
      }
  });

  it('of inclusion show nothing with any bit changed', async () => {
    for (const size of [1, 2, 3, 7, 8, 13])
      for (let index = 0; index < size; index += 1) {
        const proof = await inclusionOf(index, size);
        const { root } = headOf(size);
        const leaf = leaves[index]!;
        for (let changed = 0; changed < 256; changed += 1) {
          const where = `bit ${changed} of ${index} of ${size}`;
          expect(verifyInclusion(flipBit(leaf, changed), index, { size, root }, proof), where).to.equal(false);
          expect(verifyInclusion(leaf, index, { size, root: flipBit(root, changed) }, proof), where).to.equal(false);
          for (const [at, hash] of proof.entries()) {
            const other = replaced(proof, at, flipBit(hash, changed));
            expect(verifyInclusion(leaf, index, { size, root }, other), where).to.equal(false);
          }
        }
      }
  });

  it('of consistency show nothing with any bit changed', async () => {
    for (const size of [2, 3, 7, 8, 13])
      for (let oldSize = 1; oldSize < size; oldSize += 1) {
        const proof = await consistencyOf(oldSize, size);
        const [old, head] = [headOf(oldSize), headOf(size)];
        for (let changed = 0; changed < 256; changed += 1) {
          const where = `bit ${changed} of ${oldSize} of ${size}`;
          const otherOld = { ...old, root: flipBit(old.root, changed) };
          const otherHead = { ...head, root: flipBit(head.root, changed) };
          expect(verifyConsistency(otherOld, head, proof), where).to.equal(false);
          expect(verifyConsistency(old, otherHead, proof), where).to.equal(false);
          for (const [at, hash] of proof.entries()) {
            const other = replaced(proof, at, flipBit(hash, changed));
            expect(verifyConsistency(old, head, other), where).to.equal(false);
          }
        }
      }
  });

  it('of larger trees show nothing with a bit changed, a hash too many or one too few', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, bit, fc.nat(), async ({ size, index, oldSize }, changed, place) => {
        const inclusion = await inclusionOf(index, size);
        const consistency = await consistencyOf(oldSize, size);
        const change = (proof: ReadonlyArray<Hash>): ReadonlyArray<ReadonlyArray<Hash>> => [
          ...otherLengths(proof),
          ...(proof.length === 0
            ? []
            : [replaced(proof, place % proof.length, flipBit(proof[place % proof.length]!, changed))]),
        ];
        for (const other of change(inclusion))
          expect(verifyInclusion(leaves[index]!, index, headOf(size), other)).to.equal(false);
        for (const other of change(consistency))
          expect(verifyConsistency(headOf(oldSize), headOf(size), other)).to.equal(false);
      }),
    );
  });

  it('show a leaf at its own index alone', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, async ({ size, index }) => {
        const proof = await inclusionOf(index, size);
        for (let other = 0; other <= size; other += 1)
          expect(verifyInclusion(leaves[index]!, other, headOf(size), proof)).to.equal(other === index);
      }),
    );
  });

  it('show one old tree alone, and none that is empty but has another root', async () => {
    await fc.assert(
      fc.asyncProperty(pairs, async ({ size, oldSize }) => {
        const proof = await consistencyOf(oldSize, size);
        for (let other = 1; other <= size; other += 1)
          if (other !== oldSize)
            expect(verifyConsistency({ size: other, root: headOf(oldSize).root }, headOf(size), proof)).to.equal(false);
      }),
    );
    expect(verifyConsistency({ size: 0, root: EMPTY_ROOT }, headOf(7), [])).to.equal(true);
    expect(verifyConsistency({ size: 0, root: headOf(7).root }, headOf(7), [])).to.equal(false);
    expect(verifyConsistency({ size: 0, root: EMPTY_ROOT }, headOf(7), [leaves[0]!])).to.equal(false);
    expect(verifyConsistency(headOf(7), { size: 0, root: EMPTY_ROOT }, [])).to.equal(false);
  });

  it('are made of what is in the tree alone', async () => {
    for (const [index, size] of [
      [7, 7],
      [0, 0],
      [-1, 7],
      [0.5, 7],
      [0, 2 ** 53],
      [Number.NaN, 7],
    ] as const) {
      expect(await proveInclusion(index, size, read)).to.deep.equal(E.left({ _tag: 'NotInTree', index, size }));
      expect(verifyInclusion(leaves[0]!, index, { size, root: leaves[0]! }, [])).to.equal(false);
    }
    expect(await proveConsistency(8, 7, read)).to.deep.equal(E.left({ _tag: 'NotInTree', index: 8, size: 7 }));
    expect(verifyConsistency({ size: 2 ** 40, root: leaves[0]! }, headOf(7), [])).to.equal(false);
    expect(verifyConsistency({ size: -1, root: EMPTY_ROOT }, headOf(7), [])).to.equal(false);
  });

  it('are not made while the store lacks a tile, or cannot be read', async () => {
    const lacks = E.left({ _tag: 'TileIncomplete', tile: { level: 0, index: 1, width: 45 } });
    expect(await proveInclusion(0, MOST + 1, read)).to.deep.equal(lacks);
    expect(await proveConsistency(1, MOST + 1, read)).to.deep.equal(lacks);
    expect(await treeRoot(MOST + 1, read)).to.deep.equal(lacks);
    expect(await proveInclusion(0, 7, () => Promise.resolve(E.left('away')))).to.deep.equal(E.left('away'));
  });

  it('take one reading of at most two tiles of each level', async () => {
    const large = treeOf('large', 70_000);
    for (const index of [0, 255, 256, 65_535, 65_536, 69_887, 69_888, 69_999]) {
      await proveInclusion(index, 70_000, large.read);
      await proveConsistency(index + 1, 70_000, large.read);
    }
    for (const tiles of large.reads)
      for (const level of [0, 1, 2]) expect(tiles.filter((tile) => tile.level === level).length).to.be.at.most(2);
    expect(large.reads.length).to.be.at.most(16);
  });

  it('of a tree with more leaves than 32 bits can count are as long as its tiles say', async () => {
    // the same 256 leaves over and over, so that all tiles of a level are the same
    const same = treeOf('same', 256);
    const levels = [same.tiles.get('0/0')!];
    let { root } = same;
    for (let level = 1; level < 5; level += 1) {
      const above = treeOver(Array.from({ length: 256 }, () => root));
      levels.push(above.tiles.get('0/0')!);
      ({ root } = above);
    }
    const size = 2 ** 40;
    const proof = right(
      await proveInclusion(2 ** 39 + 77, size, (tiles) => Promise.resolve(E.right(tiles.map((t) => levels[t.level])))),
    );
    expect(proof).to.have.length(40);
    expect(verifyInclusion(same.leaves[77]!, 2 ** 39 + 77, { size, root }, proof)).to.equal(true);
  });
});
