import { expect } from 'chai';
import { either as E } from 'fp-ts';
import * as fc from 'fast-check';
import { entryBundlePath, parseTlogPath, tilePath } from '../../src/seal/tile-path.js';

const index = fc.oneof(fc.nat(2_000), fc.maxSafeNat());
const width = fc.integer({ min: 1, max: 256 });
const tile = fc.record({ level: fc.nat(63), index, width });

describe('the path of a tile', () => {
  it('is written in groups of three digits', () => {
    expect(tilePath({ level: 0, index: 0, width: 256 })).to.equal('tile/0/000');
    expect(tilePath({ level: 1, index: 1_234_067, width: 256 })).to.equal('tile/1/x001/x234/067');
    expect(tilePath({ level: 2, index: 1_000, width: 17 })).to.equal('tile/2/x001/000.p/17');
    expect(entryBundlePath({ index: 273, width: 112 })).to.equal('tile/entries/273.p/112');
  });

  it('is read as what it was written for', () => {
    fc.assert(
      fc.property(tile, (it) => {
        expect(parseTlogPath(tilePath(it))).to.deep.equal(E.right({ _tag: 'Tile', ...it }));
        const { level: _level, ...bundle } = it;
        expect(parseTlogPath(entryBundlePath(bundle))).to.deep.equal(E.right({ _tag: 'EntryBundle', ...bundle }));
      }),
    );
  });

  it('has one spelling', () => {
    for (const path of [
      '',
      'tile',
      'tile/0',
      'tile/0/',
      'tile/0/00',
      'tile/0/0000',
      'tile/0/x000',
      'tile/0/x000/001',
      'tile/0/001/001',
      'tile/0/x001/x001',
      'tile/0/x1/001',
      'tile/0/X001/001',
      'tile/00/001',
      'tile/01/001',
      'tile/64/001',
      'tile/-1/001',
      'tile/data/001',
      'tile/8/0/001/',
      'tile/0/001.p',
      'tile/0/001.p/',
      'tile/0/001.p/0',
      'tile/0/001.p/01',
      'tile/0/001.p/256',
      'tile/0/001.p/300',
      'tile/0/001.p/1/',
      'tile/0/001.p/1.p/1',
      'tile/0/+01',
      'tile/0/٠٠١',
      'tile/0/001\n',
      'tile/0/001?',
      'tile/0/x009/x007/x199/x254/x740/992', // 2^53
      'tile/0/x999/x999/x999/x999/x999/x999/x999/999',
      'tile/entries',
      'tile/entries/',
      'tile/entries/1',
      'tile/entries/0/001',
      'tile/ENTRIES/001',
      '/tile/0/001',
      'tile/0//001',
      'checkpoint',
    ])
      expect(E.isLeft(parseTlogPath(path)), path).to.equal(true);
  });

  it('names nothing else when a character of it changes', () => {
    const character = fc.string({
      minLength: 1,
      maxLength: 1,
      unit: fc.constantFrom('0', '1', '5', '9', 'x', '.', '/', 'p'),
    });
    fc.assert(
      fc.property(tile, fc.nat(), character, (it, place, other) => {
        const path = tilePath(it);
        const at = place % path.length;
        const changed = path.slice(0, at) + other + path.slice(at + 1);
        const parsed = parseTlogPath(changed);
        if (E.isRight(parsed) && parsed.right._tag === 'Tile') expect(tilePath(parsed.right)).to.equal(changed);
      }),
      { numRuns: 1_000 },
    );
  });
});
