import { expect } from 'chai';
import fc from 'fast-check';
import { draw } from '../support/draw.js';
import { changeBytes } from '../support/mutations.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';

describe('10,000 bytes that are changed, one at a time', function () {
  this.timeout(3_600_000); // 10,000 verifications

  it('are all found by verify.py', async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    const { missed, counts } = await changeBytes(10_000, draw(fc.nat()));
    console.log(`      ${JSON.stringify(counts)}`);
    expect(missed).to.deep.equal([]);
    expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).to.equal(10_000);
  });
});
