import { expect } from 'chai';
import * as fc from 'fast-check';
import { ByteWriter } from '../../src/event-sourcing/byte-writer.js';
import { byteStringOf, textOf } from '../../src/event-sourcing/byte-string.js';

describe('byte strings', () => {
  it('are written one after the other, also where there are more than was expected', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.array(fc.string({ unit: 'binary', maxLength: 50 })), (estimated, texts) => {
        const writer = new ByteWriter(estimated);
        for (const text of texts) writer.write(byteStringOf(text));
        expect(writer.written()).to.deep.equal(Buffer.from(texts.join('')));
      }),
    );
  });

  it('stand for one text each', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(textOf(byteStringOf(text))).to.equal(text);
      }),
    );
  });
});
