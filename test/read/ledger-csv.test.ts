import { expect } from 'chai';
import { csvLine } from '../../src/read/ledger-csv.js';

describe('a line of CSV', () => {
  it('never has a cell that begins a formula', () => {
    const event = { user: '=1+1', message: '@x', entity: '-a', reason: '+"b"\n', refs: [] };
    const line = csvLine({ index: 0n, body: JSON.stringify(event) });
    expect(line).to.equal(`0,,'=1+1,,'@x,,'-a,,,,"'+""b""\n",,,\r\n`);
  });

  it('never has a cell that begins with a tab or a line end, behind which a spreadsheet looks for a formula', () => {
    const event = { user: '\tx', message: '\rx', entity: '\nx', reason: 'x\t', refs: [] };
    const line = csvLine({ index: 0n, body: JSON.stringify(event) });
    expect(line).to.equal(`0,,'\tx,,"'\rx",,"'\nx",,,,x\t,,,\r\n`);
  });

  it('never has one where a spreadsheet divides at semicolons, tabs or line ends, whatever the quotes are', () => {
    const guarded = (reason: string): string => {
      const line = csvLine({ index: 0n, body: JSON.stringify({ reason, refs: [] }) });
      return line.slice('0,,,,,,,,,,'.length, -',,,\r\n'.length);
    };
    for (const begin of ['=', '+', '-', '@', '＝', '＠'])
      for (const before of ['x;', 'x\t', 'x\n', 'x\r', 'x; ', 'x;"', 'x;" "', 'a;b;', ' ', '"']) {
        const cells = guarded(`${before}${begin}1`)
          .replaceAll('""', '"')
          .split(/[;\t\r\n]/);
        for (const cell of cells) expect(cell, JSON.stringify(before + begin)).not.to.match(/^[\s"]*[=+\-@＝＋－＠]/u);
      }
    for (const harmless of ['a-b', 'x;y', 'a = b', 'x; y - z', 'a@example.com'])
      expect(guarded(harmless)).to.equal(harmless);
  });

  it('has the same data in its JSON, where it is guarded there', () => {
    const data = { name: 'x;=1; -2;＠', '; +': -5 };
    const line = csvLine({ index: 0n, body: JSON.stringify({ data, refs: [] }) });
    const cell = line.slice('0,,,,,,,,,,,"'.length, -'",,\r\n'.length).replaceAll('""', '"');
    expect(JSON.parse(cell)).to.deep.equal(data);
    for (const part of cell.split(';')) expect(part).not.to.match(/^[\s"]*[=+\-@＝＋－＠]/u);
  });
});
