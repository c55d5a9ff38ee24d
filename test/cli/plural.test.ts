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
});
