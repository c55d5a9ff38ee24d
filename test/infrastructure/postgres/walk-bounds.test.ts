import { expect } from 'chai';
import fc from 'fast-check';
import { boundOfWalk } from '../../../src/infrastructure/postgres/read-models/walk-bounds.js';

describe('the bound of a walk', () => {
  it('is some times what is expected to fill a page', () => {
    expect(boundOfWalk(101, { matching: 500_000, all: 1_000_000 })).to.equal(808);
    expect(boundOfWalk(101, { matching: 20_000, all: 1_000_000 })).to.equal(20_200);
  });

  it('is small where a search is expected to be cheaper', () => {
    for (const matching of [0, 1, 1_000, 10_000]) expect(boundOfWalk(101, { matching, all: 1_000_000 })).to.equal(505);
  });

  it('never lets a walk meet much more than the dearest page needs, and always some', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 1_001 }),
        fc.nat(10_000_000),
        fc.nat(10_000_000),
        (records, matching, all) => {
          const bound = boundOfWalk(records, { matching: Math.min(matching, all), all });
          const dearest = 4 * Math.sqrt(records * all) + 1;
          expect(bound).to.be.within(records * 5, Math.max(dearest, records * 5));
        },
      ),
    );
  });
});
