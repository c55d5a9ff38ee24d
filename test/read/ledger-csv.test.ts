import { expect } from 'chai';
import { csvLine } from '../../src/read/ledger-csv.js';

describe('a line of CSV', () => {
  it('never has a cell that begins a formula', () => {
    const event = { user: '=1+1', message: '@x', entity: '-a', reason: '+"b"\n', refs: [] };
    const line = csvLine({ index: 0n, body: JSON.stringify(event) });
    expect(line).to.equal(`0,,'=1+1,,'@x,,'-a,,,,"'+""b""\n",,,\r\n`);
  });
});
