import { expect } from 'chai';
import { describeComparison } from '../../../src/cli/projections/describe-comparison.js';

describe('what a comparison of rows found, in words', () => {
  const compared = { rows: { live: 2, rebuilt: 2 }, onlyLive: 0, onlyRebuilt: 0, differing: 0, first: [], at: 7n };

  it('is one line where all rows are the same', () => {
    expect(describeComparison(compared)).to.deep.equal(['compared 2 rows at position 7 of the log: all are the same']);
    expect(describeComparison({ ...compared, rows: { live: 1, rebuilt: 1 }, at: -1n })).to.deep.equal([
      'compared 1 row at the start of the log: it is the same',
    ]);
  });

  it('names the differences, and says of one that it is one', () => {
    const first = [{ _tag: 'OnlyRebuilt', id: 'b', rebuilt: {} }] as const;
    const found = { ...compared, rows: { live: 0, rebuilt: 1 }, onlyRebuilt: 1, first };
    expect(describeComparison(found)).to.deep.equal([
      'compared 0 live and 1 rebuilt row at position 7 of the log: 1 is not the same (0 differ, 0 only live, 1 only rebuilt)',
      '  b  only in the rebuilt rows',
    ]);
  });
});
