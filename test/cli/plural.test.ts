import { expect } from 'chai';
import { counted } from '../../src/cli/plural.js';

describe('a count with its noun', () => {
  it('has the plural of all but one', () => {
    expect([counted(0, 'event'), counted(1, 'event'), counted(2, 'event')]).to.deep.equal([
      '0 events',
      '1 event',
      '2 events',
    ]);
  });

  it('has a plural of its own where an s is not enough, as a verb has', () => {
    expect([counted(0, 'entity', 'entities'), counted(1, 'entity', 'entities')]).to.deep.equal([
      '0 entities',
      '1 entity',
    ]);
    expect([counted(1, 'differs', 'differ'), counted(2, 'differs', 'differ')]).to.deep.equal(['1 differs', '2 differ']);
  });
});
