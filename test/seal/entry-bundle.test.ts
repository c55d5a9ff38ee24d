import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { leafData, parseEntryBundle, renderEntryBundle } from '../../src/seal/entry-bundle.js';
import { leafDataOf, right } from '../support/sealed-tree.js';

const entries = [0, 1, 2].map((index) => leafDataOf('entries', index));

describe('an entry bundle', () => {
  it('has each entry after its length', () => {
    const bytes = renderEntryBundle(entries);
    expect(bytes.toString('hex')).to.equal(entries.map((entry) => `0020${entry.toString('hex')}`).join(''));
    expect(right(parseEntryBundle(bytes))).to.deep.equal(entries);
    expect(right(parseEntryBundle(renderEntryBundle([])))).to.deep.equal([]);
  });

  it('is not read when it is cut, or an entry has another length', () => {
    const bytes = renderEntryBundle(entries);
    expect(parseEntryBundle(bytes.subarray(0, -1))).to.deep.equal(E.left('the entry bundle ends within an entry'));
    const longer = Buffer.concat([Buffer.of(0, 66), Buffer.alloc(66)]);
    expect(parseEntryBundle(longer)).to.deep.equal(E.left('the entry bundle has an entry that is not 32 bytes long'));
  });

  it('takes the hash of an event in its one spelling', () => {
    const hash = leafDataOf('entries', 0).toString('hex');
    expect(right(leafData(hash))).to.deep.equal(leafDataOf('entries', 0));
    for (const other of ['', hash.slice(1), `${hash}0`, hash.toUpperCase(), `${hash.slice(1)}g`, `${hash}\n`])
      expect(leafData(other), other).to.deep.equal(E.left('the hash of the event is not 64 digits of lower-case hex'));
  });
});
