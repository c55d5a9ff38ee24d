import { markdownTable } from '../../support/markdown.js';
import { type Adapter, type Suite, SUITES } from './adapters.js';
import type { Outcome } from './run-adapter.js';

export type Row = { readonly adapter: Pick<Adapter, 'name' | 'suites'>; readonly outcome: Outcome };

const cell = ({ adapter, outcome }: Row, suite: Suite): string => {
  if (!adapter.suites.includes(suite)) return '';
  if (outcome._tag === 'NotReached') return 'not reached';
  const { passed = 0, failed = 1, skipped = 0 } = outcome.counts[suite] ?? {};
  const others = [failed > 0 ? [`${failed} FAILED`] : [], skipped > 0 ? [`${skipped} skipped`] : []].flat();
  return [`${passed} passed`, ...others].join(', ');
};

/** Adapters × suites as a Markdown table. */
export const tableOf = (rows: ReadonlyArray<Row>): string => {
  const body = rows.map((row) => [row.adapter.name, ...SUITES.map((suite) => cell(row, suite))]);
  return markdownTable([['adapter', ...SUITES], ...body]);
};

/** Whether a suite failed where it ran. */
export const hasFailed = (rows: ReadonlyArray<Row>): boolean =>
  rows.some(({ outcome }) => outcome._tag === 'Ran' && Object.values(outcome.counts).some(({ failed }) => failed > 0));

/** One line; undefined when everything was reached. */
export const notReached = (rows: ReadonlyArray<Row>): string | undefined => {
  const missed = rows.flatMap(({ adapter, outcome }) =>
    outcome._tag === 'NotReached' ? [`${adapter.name} (${outcome.missing.join(', ')})`] : [],
  );
  return missed.length === 0
    ? undefined
    : `not reached, for want of these variables or of Docker: ${missed.join('; ')}`;
};
