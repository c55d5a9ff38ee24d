import { expect } from 'chai';
import fc from 'fast-check';
import { selectBytes } from '../../src/http/document/file/byte-range.js';
import { attachment } from '../../src/http/document/file/content-disposition.js';

const part = (first: number, last: number) => ({ _tag: 'Part', range: { first, last } });
const whole = { _tag: 'Whole' };
const unsatisfiable = { _tag: 'Unsatisfiable' };

describe('the bytes a request selects', () => {
  for (const [header, selection] of [
    // RFC 9110 §14.1.2, of a representation of 10,000 bytes
    ['bytes=0-499', part(0, 499)],
    ['bytes=500-999', part(500, 999)],
    ['bytes=-500', part(9500, 9999)],
    ['bytes=9500-', part(9500, 9999)],
    ['bytes=0-0', part(0, 0)],
    ['bytes= 0-999, 4500-5499, -1000', whole],
    ['bytes=500-600,601-999', whole],
    // the edges
    ['Bytes=0-', part(0, 9999)],
    ['bytes=9999-', part(9999, 9999)],
    ['bytes=9999-123456', part(9999, 9999)],
    [`bytes=0-${'9'.repeat(400)}`, part(0, 9999)],
    ['bytes=-20000', part(0, 9999)],
    [`bytes=-${'9'.repeat(400)}`, part(0, 9999)],
    ['bytes=, 0-0 ,', part(0, 0)],
    ['bytes=10000-', unsatisfiable],
    [`bytes=${'9'.repeat(400)}-`, unsatisfiable],
    ['bytes=-0', unsatisfiable],
    // malformed, or of another unit
    ['bytes=5-4', whole],
    ['bytes=-', whole],
    ['bytes=', whole],
    ['bytes=a-b', whole],
    ['bytes=0x1-2', whole],
    ['bytes 0-1', whole],
    ['bytes=0 - 1', whole],
    ['bytes=1.5-2', whole],
    ['seconds=0-1', whole],
    [undefined, whole],
  ] as const)
    it(`are, by ${String(header).slice(0, 30)}, ${selection._tag}`, () => {
      expect(selectBytes(header, 10_000)).to.deep.equal(selection);
    });

  it('are none of an empty file', () => {
    expect(selectBytes('bytes=0-', 0)).to.deep.equal(unsatisfiable);
    expect(selectBytes('bytes=-5', 0)).to.deep.equal(whole);
    expect(selectBytes('bytes=-0', 0)).to.deep.equal(unsatisfiable);
  });

  it('are, whatever is asked, within the file', () => {
    const bound = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(''));
    fc.assert(
      fc.property(bound, bound, fc.integer({ min: 1, max: 100_000 }), (first, last, size) => {
        const selection = selectBytes(`bytes=${first}-${last}`, size);
        if (selection._tag !== 'Part') return;
        const { range } = selection;
        expect(range.first).to.be.within(0, range.last);
        expect(range.last).to.be.lessThan(size);
      }),
    );
  });
});

describe('the name a file is saved under', () => {
  for (const [name, header] of [
    ['plain.txt', `attachment; filename="plain.txt"; filename*=UTF-8''plain.txt`],
    ['€ rates.txt', `attachment; filename="_ rates.txt"; filename*=UTF-8''%E2%82%AC%20rates.txt`],
    ['"a\\b%22.txt', `attachment; filename="_a_b_22.txt"; filename*=UTF-8''%22a%5Cb%2522.txt`],
    [`it's (1)*!.txt`, `attachment; filename="it's (1)*!.txt"; filename*=UTF-8''it%27s%20%281%29%2A!.txt`],
    ['😀', `attachment; filename="_"; filename*=UTF-8''%F0%9F%98%80`],
  ] as const)
    it(`is ${name}`, () => expect(attachment(name)).to.equal(header));

  it('never breaks out of its header, and reads back as it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const [, plain, extended] = /^attachment; filename="([\x20-\x7e]*)"; filename\*=UTF-8''([!-~]*)$/.exec(
          attachment(name),
        )!;
        expect(plain).not.to.match(/["\\]/);
        expect(extended).not.to.match(/['()*;, "]/);
        expect(decodeURIComponent(extended!)).to.equal(name);
      }),
    );
  });
});
