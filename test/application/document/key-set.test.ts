import { expect } from 'chai';
import { KeySet } from '../../../src/application/document/key-set.js';

describe('a set of keys', () => {
  it('has what was put in, whatever their number, and nothing else', () => {
    const keys = new KeySet();
    const keyOf = (index: number): string => `documents/d${index % 7}/${index}`;
    const wrong: Array<number> = [];
    for (let index = 0; index < 20_000; index += 1) {
      keys.add(keyOf(index));
      keys.add(keyOf(index >> 1));
    }
    for (let index = 0; index < 40_000; index += 1) if (keys.has(keyOf(index)) !== index < 20_000) wrong.push(index);
    expect([wrong, keys.size]).to.deep.equal([[], 20_000]);
  });

  it('is empty at first', () => {
    expect([new KeySet().has(''), new KeySet().size]).to.deep.equal([false, 0]);
  });
});
