import { expect } from 'chai';
import { makeBoundedCache } from '../../src/event-sourcing/bounded-cache.js';

describe('a bounded cache', () => {
  it('gives what was set, the last value, and nothing that was deleted', () => {
    const cache = makeBoundedCache<string, number>(10);
    cache.set('a', 1);
    cache.set('b', 2);
    cache.set('a', 3);
    cache.delete('b');
    expect([cache.get('a'), cache.get('b'), cache.get('c')]).to.deep.equal([3, undefined, undefined]);
  });

  it('keeps at least one generation and never more than two', () => {
    const cache = makeBoundedCache<number, number>(100);
    for (let key = 0; key < 1_000; key++) cache.set(key, key);
    const kept = Array.from({ length: 1_000 }, (_, key) => key).filter((key) => cache.get(key) !== undefined);
    expect(kept.length).to.be.within(100, 200);
    expect(kept.slice(-100)).to.deep.equal(Array.from({ length: 100 }, (_, index) => 900 + index));
  });

  it('keeps what is used while others come and go', () => {
    const cache = makeBoundedCache<number, string>(10);
    cache.set(-1, 'used');
    for (let key = 0; key < 1_000; key++) {
      cache.set(key, 'passing');
      expect(cache.get(-1)).to.equal('used');
    }
  });

  it('forgets what was deleted in its older generation too', () => {
    const cache = makeBoundedCache<number, number>(2);
    for (const key of [1, 2, 3]) cache.set(key, key);
    cache.delete(1);
    expect([cache.get(1), cache.get(2), cache.get(3)]).to.deep.equal([undefined, 2, 3]);
  });

  it('ends a generation with its bytes, counting each entry once', () => {
    const MIB = 1024 * 1024;
    const cache = makeBoundedCache<number, number>(1_000, (mebibytes) => mebibytes * MIB);
    for (const key of [0, 1]) for (let count = 0; count < 100; count++) cache.set(key, 2);
    cache.set(2, 2);
    expect([0, 1, 2].map((key) => cache.get(key))).to.deep.equal([2, 2, 2]);
    for (let key = 3; key < 100; key++) cache.set(key, 2);
    const kept = Array.from({ length: 100 }, (_, key) => key).filter((key) => cache.get(key) !== undefined);
    expect(kept.length).to.be.within(4, 8);
  });

  it('does not count the bytes of what was deleted', () => {
    const MIB = 1024 * 1024;
    const cache = makeBoundedCache<string, number>(1_000, (mebibytes) => mebibytes * MIB);
    cache.set('kept', 1);
    for (let count = 0; count < 100; count++) {
      cache.set('deleted', 6);
      cache.delete('deleted');
      cache.set('small', 0);
    }
    expect(cache.get('kept')).to.equal(1);
  });

  it('gives the newer of two values when the key aged in between', () => {
    const cache = makeBoundedCache<number, string>(2);
    cache.set(1, 'old');
    cache.set(2, 'x');
    cache.set(3, 'x');
    cache.set(1, 'new');
    expect(cache.get(1)).to.equal('new');
  });
});
