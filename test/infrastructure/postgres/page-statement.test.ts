import { expect } from 'chai';
import { businesses } from '../../../projections/businesses.js';
import { makePageStatements } from '../../../src/infrastructure/postgres/read-models/page-statement.js';
import { wantedOf } from '../../../src/infrastructure/postgres/read-models/read-model-filter.js';
import { boundOfWalk } from '../../../src/infrastructure/postgres/read-models/walk-bounds.js';
import { IN_CREATION_ORDER } from '../../../src/read/queries.js';

const statementsOf = makePageStatements(businesses);

const pageOf = (limit: number, q?: string) => {
  const wanted = wantedOf(businesses.keys, { q });
  if (wanted === undefined) throw new Error('matches nothing');
  return statementsOf(wanted, { order: IN_CREATION_ORDER, limit }, limit > 100 ? 'Sum' : 'Shares');
};

describe('the statements of a page', () => {
  it('are short where they meet few entries', () => {
    for (const limit of [1, 100, 1_000]) {
      expect(pageOf(limit).walk(0).isShort).to.equal(true);
      const rare = boundOfWalk(limit + 1, { matching: 1, all: 1_000_000 });
      expect(pageOf(limit, 'rare').walk(rare).isShort).to.equal(true);
    }
  });

  it('are not short where a walk may meet many, and where they search', () => {
    const dear = boundOfWalk(101, { matching: 10_100, all: 1_000_000 });
    expect(dear).to.be.above(39_000);
    expect(pageOf(100, 'word').walk(dear).isShort).to.equal(false);
    expect(pageOf(100, 'word').search?.isShort).to.equal(false);
  });
});
