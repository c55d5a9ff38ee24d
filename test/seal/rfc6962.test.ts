import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { EMPTY_ROOT, type Hash, leafHash, nodeHash } from '../../src/seal/hash.js';
import { proveConsistency, proveInclusion } from '../../src/seal/proofs.js';
import { verifyConsistency, verifyInclusion } from '../../src/seal/verify-proofs.js';
import { right, treeOver } from '../support/sealed-tree.js';

// The leaves and roots that the tests of certificate-transparency and of its successors share.
const leaves = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
const roots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const published = leaves.map((data) => leafHash(Buffer.from(data, 'hex')));

const hex = (hashes: ReadonlyArray<Hash>): ReadonlyArray<string> => hashes.map((hash) => hash.toString('hex'));

describe('the tree of RFC 6962', () => {
  it('has the published roots', () => {
    expect(leaves.map((_, index) => treeOver(published.slice(0, index + 1)).root.toString('hex'))).to.deep.equal(roots);
  });

  it('is the hash of nothing while it is empty', () => {
    expect(EMPTY_ROOT.toString('hex')).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(treeOver([]).root).to.deep.equal(EMPTY_ROOT);
  });

  it('hashes leaves and nodes with prefixes of their own', () => {
    const [a, b] = published as [Hash, Hash]; // reason: there are eight
    const sha256 = (bytes: Buffer): Hash => createHash('sha256').update(bytes).digest();
    expect(leafHash(Buffer.from('abc'))).to.deep.equal(sha256(Buffer.from('\0abc')));
    expect(nodeHash(a, b)).to.deep.equal(sha256(Buffer.concat([Buffer.of(1), a, b])));
  });

  describe('in the worked example of section 2.1.3, with seven leaves', () => {
    const seven = treeOver(published.slice(0, 7));
    const [a, b, c, d, e, f, j] = published as [Hash, Hash, Hash, Hash, Hash, Hash, Hash]; // reason: there are eight
    const [g, h, i] = [nodeHash(a, b), nodeHash(c, d), nodeHash(e, f)];
    const [k, l] = [nodeHash(g, h), nodeHash(i, j)];
    const head = { size: 7, root: seven.root };

    // there the leaf hashes are a b c d e f j, the nodes over them g h i, and k l over those
    for (const [index, path] of [
      [0, [b, h, l]],
      [3, [c, g, l]],
      [4, [f, j, k]],
      [6, [i, k]],
    ] as const)
      it(`proves that d${index} is included`, async () => {
        const proof = right(await proveInclusion(index, 7, seven.read));
        expect(hex(proof)).to.deep.equal(hex(path));
        expect(verifyInclusion(published[index]!, index, head, path)).to.equal(true);
      });

    for (const [size, path] of [
      [3, [c, d, g, l]],
      [4, [l]],
      [6, [i, j, k]],
    ] as const)
      it(`proves that the tree with ${size} leaves is its beginning`, async () => {
        const proof = right(await proveConsistency(size, 7, seven.read));
        expect(hex(proof)).to.deep.equal(hex(path));
        const old = { size, root: Buffer.from(roots[size - 1]!, 'hex') };
        expect(verifyConsistency(old, head, path)).to.equal(true);
      });
  });
});
