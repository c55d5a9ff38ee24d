import { expect } from 'chai';
import { csvLine } from '../../src/http/audit/csv.js';

describe('a line of CSV', () => {
  it('never has a cell that begins a formula', () => {
    const line = csvLine({ index: 0, user: '=1+1', message: '@x', entity: '-a', reason: '+"b"\n', refs: [] });
    expect(line).to.equal(`0,,'=1+1,,'@x,,'-a,,,,"'+""b""\n",,,\r\n`);
  });
});
