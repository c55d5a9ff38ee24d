import { measure, type Measured, type Processes, type Side } from '../measure/measure.js';
import { amount, type Column, median, note, percent } from '../report.js';
import type { Case } from './cases.js';

type Sides = Readonly<Record<'service' | 'limit', Side>>;

type Pair = Readonly<Record<'service' | 'limit', Measured>>;

/** A case, its medians over the rounds, and each round. */
export type Row = Pick<Case, 'name' | 'connections' | 'limitIs' | 'wanted'> & {
  /** Requests a second of the service to those of the limit: median of the rounds. */
  readonly ratio: number;
  readonly service: Measured;
  readonly limit: Measured;
  readonly errors: number;
  readonly rounds: ReadonlyArray<Pair>;
};

export type Lengths = { readonly seconds: number; readonly rounds: number };

/** Warmed up once, then alternately; which one begins changes from round to round. */
const measureInTurns = async (processes: Processes, sides: Sides, { seconds, rounds }: Lengths) => {
  const on = (side: keyof Sides) => measure(processes, sides[side], { seconds });
  await on('service');
  await on('limit');
  const pairs: Array<Pair> = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.push({ service: await on('service'), limit: await on('limit') });
    else {
      const limit = await on('limit');
      pairs.push({ service: await on('service'), limit });
    }
  }
  return pairs;
};

const mediansOf = (all: ReadonlyArray<Measured>): Measured => {
  const of = (figure: keyof Measured): number => median(all.map((each) => each[figure]));
  return {
    ...{ requests: of('requests'), errors: of('errors'), seconds: of('seconds'), p50: of('p50'), p99: of('p99') },
    ...{ perSecond: of('perSecond'), node: of('node'), postgres: of('postgres'), eventStoreDb: of('eventStoreDb') },
    ...{ gc: of('gc'), generator: of('generator'), foreign: of('foreign') },
  };
};

/** Measures the service in turns with its limit, and notes the ratio. */
export const compare = async (
  processes: Processes,
  { name, connections, limitIs, wanted }: Pick<Case, 'name' | 'connections' | 'limitIs' | 'wanted'>,
  sides: Sides,
  lengths: Lengths,
): Promise<Row> => {
  const rounds = await measureInTurns(processes, sides, lengths);
  const ratio = median(rounds.map(({ service, limit }) => service.perSecond / limit.perSecond));
  note(`${name}, ${connections}: ${ratio.toFixed(2)} of ${limitIs}`);
  return {
    ...{ name, connections, limitIs, ratio, rounds },
    ...(wanted === undefined ? {} : { wanted }),
    service: mediansOf(rounds.map(({ service }) => service)),
    limit: mediansOf(rounds.map(({ limit }) => limit)),
    errors: rounds.reduce((sum, { service, limit }) => sum + service.errors + limit.errors, 0),
  };
};

/** Of each server that can be seen. */
const cpuOf = ({ node, postgres, eventStoreDb }: Measured): string =>
  [node, postgres, eventStoreDb]
    .filter((each) => !Number.isNaN(each))
    .map(amount)
    .join(' + ');

/** The table of `npm run bench`; `servers`: whose CPU time stands beside Node's. */
export const columnsOf = (servers: string): ReadonlyArray<Column<Row>> => [
  ['request', ({ name }) => name],
  ['connections', ({ connections }) => String(connections)],
  ['a second', ({ service }) => amount(service.perSecond)],
  ['p99, ms', ({ service }) => amount(service.p99)],
  ['limit', ({ limitIs }) => limitIs],
  ['a second', ({ limit }) => amount(limit.perSecond)],
  ['ratio', ({ ratio }) => ratio.toFixed(2)],
  ['wanted', ({ wanted }) => (wanted === undefined ? '' : `≥ ${wanted}`)],
  [`CPU µs, Node + ${servers}`, ({ service }) => cpuOf(service)],
  ['of the limit', ({ limit }) => cpuOf(limit)],
  ['GC of Node', ({ service }) => percent(service.gc)],
  ['errors', ({ errors }) => String(errors)],
];

/** What else took the machine's time: the most of all measurements, as shares of one processor. */
export const besides = (rows: ReadonlyArray<Row>) => {
  const all = rows.flatMap(({ rounds }) => rounds.flatMap(({ service, limit }) => [service, limit]));
  const most = (of: (each: Measured) => number): number => Math.max(0, ...all.map(of));
  const figures = { generator: most(({ generator }) => generator), foreign: most(({ foreign }) => foreign) };
  const remarks = [
    `The load generator took at most ${percent(figures.generator)} of a processor,`,
    `whatever else ran on the machine ${percent(figures.foreign)}.`,
  ];
  return { figures, remarks };
};
