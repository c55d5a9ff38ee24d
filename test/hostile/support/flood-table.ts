import type { Figures } from './figures.js';
import type { FloodResult } from './flood.js';

const course = ({ before, height, after }: FloodResult, of: (figures: Figures) => number): string =>
  `${of(before)} → ${of(height)} → ${after === undefined ? 'dead' : of(after)}`;

const COLUMNS: ReadonlyArray<readonly [string, (result: FloodResult) => string]> = [
  ['flood', ({ name }) => name],
  ['connections', ({ connections }) => String(connections)],
  ['needs', ({ needs }) => needs],
  ['RSS, MiB', (result) => course(result, ({ rss }) => rss)],
  ['heap + external, MiB', (result) => course(result, ({ heap, external }) => heap + external)],
  ['descriptors', (result) => course(result, ({ descriptors }) => descriptors)],
  ['Postgres', (result) => course(result, ({ postgres }) => postgres)],
  ['files', (result) => course(result, ({ unfinishedFiles }) => unfinishedFiles)],
  [
    'normal client, ms: median, worst, as far as the machine was left',
    ({ normal }) => `${normal.median}, ${normal.worst}, ${normal.worstLeft}`,
  ],
  ['other processes', ({ others }) => `${Math.round(100 * others)} %`],
  ['verdict', ({ faults }) => (faults.length === 0 ? 'holds' : faults.join('; '))],
];

/** The results as a table of Markdown: each figure before the flood, at its height and a second after it. */
export const floodTable = (results: ReadonlyArray<FloodResult>): string => {
  const rows = [
    COLUMNS.map(([heading]) => heading),
    COLUMNS.map(() => '---'),
    ...results.map((result) => COLUMNS.map(([, cell]) => cell(result).replaceAll('|', '/'))),
  ];
  return rows.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
};
