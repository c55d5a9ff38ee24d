import { createHash, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { ChainEnd } from '../../../src/event-sourcing/hash-chain.js';
import type { StreamName } from '../../../src/event-sourcing/recorded-event.js';
import { keepChainEnds } from '../../../src/event-sourcing/whole-log/keep-chain-ends.js';
import { heapTakenBy } from '../../support/heap-taken-by.js';
import { systemRuntime } from '../../../src/infrastructure/system-runtime.js';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const streamAt = (number: number): StreamName => `business-${hashOf(`stream ${number}`).slice(0, 32)}`;

const endAt = (number: number): ChainEnd | 'broken' =>
  number % 1_000 === 7 ? 'broken' : { revision: BigInt(number % 5) + 1n, hash: hashOf(`end ${number}`) };

describe('the kept ends of chains', () => {
  it('are each that of its stream, also a broken one, among more than a piece of memory holds', () => {
    const ends = keepChainEnds(systemRuntime.random);
    const count = 30_000;
    for (let number = 0; number < count; number += 1) ends.set(streamAt(number), endAt(number));
    expect(ends.streams()).to.equal(count);
    for (let number = 0; number < count; number += 1)
      expect(ends.get(streamAt(number)), String(number)).to.deep.equal(endAt(number));
    expect(ends.get(streamAt(count))).to.equal(undefined);
  });

  it('change, and the streams are not more', () => {
    const ends = keepChainEnds(systemRuntime.random);
    const [one, other] = [streamAt(1), streamAt(2)];
    for (const end of [endAt(1), { revision: 2n ** 63n, hash: hashOf('x') }, 'broken'] as const) {
      ends.set(one, end);
      expect(ends.get(other)).to.equal(undefined);
      expect(ends.get(one)).to.deep.equal(end);
    }
    expect(ends.streams()).to.equal(1);
  });

  it('are told apart by names that UTF-8 cannot tell apart, and by long ones', () => {
    const ends = keepChainEnds(systemRuntime.random);
    const long = 'x'.repeat(5_000);
    const names: ReadonlyArray<StreamName> = ['a-\ud800', 'a-\ud801', 'a-\ufffd', `a-${long}`, `a-${long}x`];
    for (const [number, name] of names.entries()) ends.set(name, endAt(number));
    for (const [number, name] of names.entries()) expect(ends.get(name)).to.deep.equal(endAt(number));
  });

  it('are refused when they are none that can be kept', () => {
    expect(() => keepChainEnds(systemRuntime.random).set(streamAt(1), { revision: 1n, hash: 'no hash' })).to.throw(
      'no SHA-256 in hex',
    );
  });

  it('of a hundred thousand streams take under 100 bytes each, and nothing of the heap', async () => {
    const streams = 100_000;
    const before = process.memoryUsage().arrayBuffers;
    const ends = keepChainEnds(systemRuntime.random);
    const onHeap = await heapTakenBy(() => {
      for (let number = 0; number < streams; number += 1)
        ends.set(`business-${randomUUID()}`, { revision: 1n, hash: hashOf(String(number)) });
    });
    expect(ends.streams()).to.equal(streams);
    expect(onHeap / streams).to.be.lessThan(20);
    expect((process.memoryUsage().arrayBuffers - before) / streams).to.be.lessThan(100);
  });
});
