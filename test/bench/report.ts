/** How every measuring command reports: progress on standard error, and at the end a table or one JSON object. */
import { execFileSync } from 'node:child_process';
import { availableParallelism, cpus } from 'node:os';
import { markdownTable } from '../support/markdown.js';

/** What was run: the name of the command and its options. */
type Run = {
  readonly command: string;
  readonly options: Readonly<Record<string, string | number | boolean | ReadonlyArray<number>>>;
};

/** A column of the table: its heading, and what it shows of a row. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => string];

type Outcome<Row> = {
  readonly rows: ReadonlyArray<Row>;
  readonly columns: ReadonlyArray<Column<Row>>;
  /** Figures of the whole run, as members of the JSON object; `remarks` says the same in lines below the table. */
  readonly figures?: Readonly<Record<string, unknown>>;
  readonly remarks?: ReadonlyArray<string>;
};

/** A line for whoever waits. */
export const note = (line: string): void => void process.stderr.write(`${line}\n`);

/** The value in the middle, of an even number the upper one; NaN of none. */
export const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

/** The value below which a share (0 to 1) of the others is; NaN of none. */
export const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? NaN;

/** Three digits, or all before the point; what was not measured is empty. */
export const amount = (value: number): string =>
  Number.isNaN(value) ? '' : value < 1_000 ? value.toPrecision(3) : Math.round(value).toLocaleString('en');

/** A share (0 to 1) in whole hundredths; what was not measured is empty. */
export const percent = (share: number): string => (Number.isNaN(share) ? '' : `${Math.round(100 * share)} %`);

/** The commit that was measured, with `-dirty` where files differ from it; null outside of a repository. */
const commit = (): string | null => {
  try {
    const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude', '*'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
};

/** What does not change while a command runs, as members of its JSON object. */
const circumstances = () => ({
  commit: commit(),
  node: process.version,
  cores: availableParallelism(),
  processor: cpus()[0]?.model ?? null,
  at: new Date().toISOString(),
});

/**
 * Prints what was measured on standard output: with `json` one JSON object with all figures of every row, the options,
 * the commit, the version of Node and the number of cores (what was not measured is null); otherwise a table.
 */
export const printReport = <Row>(
  { command, options }: Run,
  { rows, columns, figures = {}, remarks = [] }: Outcome<Row>,
): void => {
  if (options['json'] === true) {
    console.log(JSON.stringify({ command, options, ...circumstances(), ...figures, rows }));
    return;
  }
  const cells = rows.map((row) => columns.map(([, cell]) => cell(row)));
  console.log([markdownTable([columns.map(([heading]) => heading), ...cells]), ...remarks].join('\n'));
};
