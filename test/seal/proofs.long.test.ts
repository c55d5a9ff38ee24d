import { expect } from 'chai';
import { proveConsistency, proveInclusion } from '../../src/seal/proofs.js';
import { verifyConsistency, verifyInclusion } from '../../src/seal/verify-proofs.js';
import { right, treeOf } from '../support/sealed-tree.js';

const MOST = 300;

describe('all proofs of all trees with up to 300 leaves', function () {
  this.timeout(600_000); // 90,000 of them

  const { leaves, read } = treeOf('proofs', MOST);
  const heads = Array.from({ length: MOST + 1 }, (_, size) => ({ size, root: treeOf('proofs', size).root }));

  it('of inclusion verify', async () => {
    for (const head of heads)
      for (let index = 0; index < head.size; index += 1) {
        const proof = right(await proveInclusion(index, head.size, read));
        if (!verifyInclusion(leaves[index]!, index, head, proof)) expect.fail(`${index} of ${head.size}`);
      }
  });

  it('of consistency verify', async () => {
    for (const head of heads)
      for (const old of heads.slice(0, head.size + 1)) {
        const proof = right(await proveConsistency(old.size, head.size, read));
        if (!verifyConsistency(old, head, proof)) expect.fail(`${old.size} of ${head.size}`);
      }
  });
});
