import { expect } from 'chai';
import { random16Bytes } from '../../src/event-sourcing/random-bytes.js';

describe('random bytes', () => {
  it('are 16 each time, never the same, and stay what they are when more are drawn', () => {
    const drawn = Array.from({ length: 1_000 }, random16Bytes);
    const atOnce = drawn.map((bytes) => bytes.toString('hex'));
    Array.from({ length: 1_000 }, random16Bytes);
    expect(new Set(atOnce).size).to.equal(1_000);
    expect(new Set(atOnce.map((text) => text.length))).to.deep.equal(new Set([32]));
    expect(drawn.map((bytes) => bytes.toString('hex'))).to.deep.equal(atOnce);
  });
});
