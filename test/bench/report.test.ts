import { expect } from 'chai';
import { printReport } from './report.js';

type Row = { readonly name: string; readonly cpu: number };

const ROWS: ReadonlyArray<Row> = [
  { name: 'create', cpu: 12 },
  { name: 'GET by id', cpu: NaN },
];

/** What is written to standard output meanwhile. */
const printedBy = (work: () => void): string => {
  const { log } = console;
  const lines: Array<string> = [];
  console.log = (line: string) => void lines.push(line);
  try {
    work();
  } finally {
    console.log = log;
  }
  return lines.join('\n');
};

const print = (json: boolean): string =>
  printedBy(() =>
    printReport<Row>(
      { command: 'bench', options: { seconds: 3, json } },
      {
        rows: ROWS,
        columns: [
          ['request', ({ name }) => name],
          ['CPU', ({ cpu }) => (Number.isNaN(cpu) ? '' : String(cpu))],
        ],
        figures: { foreign: 0.5 },
        remarks: ['whatever else ran took 50 %'],
      },
    ),
  );

describe('the report of a measuring command', () => {
  it('is a table with its remarks', () => {
    expect(print(false).split('\n')).to.deep.equal([
      '| request   | CPU |',
      '| --------- | --- |',
      '| create    | 12  |',
      '| GET by id |     |',
      'whatever else ran took 50 %',
    ]);
  });

  it('is one JSON object that says what was measured, and where', () => {
    const report = JSON.parse(print(true)) as Record<string, unknown>; // reason: it would throw otherwise
    expect(report).to.deep.include({
      command: 'bench',
      options: { seconds: 3, json: true },
      foreign: 0.5,
      node: process.version,
      rows: [
        { name: 'create', cpu: 12 },
        { name: 'GET by id', cpu: null },
      ],
    });
    expect(report).to.include.keys('commit', 'cores', 'processor', 'at');
    expect(report['cores']).to.be.greaterThan(0);
  });
});
