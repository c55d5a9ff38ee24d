import { expect } from 'chai';
import fc from 'fast-check';
import { draw } from '../support/draw.js';
import { changeBytes } from '../support/mutations.js';
import { needs } from '../support/needs.js';
import { hasPython } from '../support/python.js';

describe('a byte that is changed', function () {
  this.timeout(400_000);

  it('is found by verify.py in an export, a checkpoint, a tile and a pack, whichever it is', async function () {
    needs(this, hasPython(), 'python3, in which the verifier is written');
    const { missed, counts } = await changeBytes(360, draw(fc.nat()));
    expect(missed).to.deep.equal([]);
    expect(Object.values(counts)).to.deep.equal(Array.from({ length: 9 }, () => 40));
  });
});
