import { expect } from 'chai';
import { readParkedStreams } from '../../projections/engine/parked/parked-streams.js';

describe('the streams of which an event is parked', () => {
  /** So many of them, of all that are asked for. */
  const parked = (count: number) =>
    readParkedStreams({
      parkedStreams: (limit) =>
        Promise.resolve(Array.from({ length: Math.min(count, limit) }, (_, index) => `business-${index}` as const)),
    });

  it('are these and no others, up to 10,000 of them', async () => {
    const { mayHave, add } = await parked(9_999);
    expect(['business-0', 'business-9998', 'business-9999'].map(mayHave)).to.deep.equal([true, true, false]);
    add('business-9999');
    expect(['business-9999', 'business-10000'].map(mayHave)).to.deep.equal([true, false]);
  });

  it('may be any where there are more', async () => {
    const { mayHave } = await parked(10_001);
    expect(['business-0', 'business-20000'].map(mayHave)).to.deep.equal([true, true]);
    const grown = await parked(10_000);
    expect(grown.mayHave('business-20000')).to.equal(false);
    grown.add('business-10000');
    expect(grown.mayHave('business-20000')).to.equal(true);
  });
});
