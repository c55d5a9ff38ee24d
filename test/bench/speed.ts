/**
 * How fast the service is, as ratios: each request is measured in turns with the least that could be done in its place,
 * on the same Postgres in the same minutes, so that what else the machine does falls on both. `npm run bench`; with
 * `--only <part of a name>`, `--seconds` of each measurement and `--rounds`. Needs Linux. Ends with 1 when a request
 * failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { tokenFor } from '../support/service-process.js';
import { startBuiltService } from './built-service.js';
import { API, type Case, cases } from './speed/cases.js';
import { startLimits } from './speed/limits.js';
import { type Load, startLoadGenerator } from './speed/load.js';
import { type Bench, measure, type Measured } from './speed/measure.js';
import { seed } from './speed/seed.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '5' },
  },
});
const seconds = Number(options.seconds);
const rounds = Number(options.rounds);

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;

type SideOfCase = { readonly service: Omit<Load, 'length'>; readonly limits: Omit<Load, 'length'> };
type Pair = { readonly service: Measured; readonly limits: Measured };

/** Warmed up once, then alternately; which one begins changes from round to round. */
const compare = async (bench: Bench, loads: SideOfCase): Promise<ReadonlyArray<Pair>> => {
  const on = (side: keyof SideOfCase) => measure(bench, side, { ...loads[side], length: { seconds } });
  await on('service');
  await on('limits');
  const pairs: Array<Pair> = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) pairs.push({ service: await on('service'), limits: await on('limits') });
    else {
      const limits = await on('limits');
      pairs.push({ service: await on('service'), limits });
    }
  }
  return pairs;
};

const amount = (value: number): string =>
  value < 1_000 ? value.toPrecision(3) : Math.round(value).toLocaleString('en');

const rowOf = ({ name, connections, limitIs, wanted }: Case, pairs: ReadonlyArray<Pair>): ReadonlyArray<string> => {
  const service = (of: (measured: Measured) => number): number => median(pairs.map((pair) => of(pair.service)));
  const limit = (of: (measured: Measured) => number): number => median(pairs.map((pair) => of(pair.limits)));
  const ratio = median(pairs.map((pair) => pair.service.perSecond / pair.limits.perSecond));
  return [
    name,
    String(connections),
    amount(service(({ perSecond }) => perSecond)),
    amount(service(({ result }) => result.p99)),
    limitIs,
    amount(limit(({ perSecond }) => perSecond)),
    ratio.toFixed(2),
    wanted === undefined ? '' : `≥ ${wanted}`,
    `${amount(service(({ node }) => node))} + ${amount(service(({ postgres }) => postgres))}`,
    `${amount(limit(({ node }) => node))} + ${amount(limit(({ postgres }) => postgres))}`,
    String(pairs.reduce((sum, pair) => sum + pair.service.result.errors + pair.limits.result.errors, 0)),
  ];
};

const HEADINGS = ['request', 'connections', 'a second', 'p99, ms', 'limit', 'a second', 'ratio', 'wanted'].concat([
  'CPU µs, Node + Postgres',
  'of the limit',
  'errors',
]);

const print = (rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const table = [HEADINGS, ...rows];
  const widths = HEADINGS.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  const line = (cells: ReadonlyArray<string>): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  console.log([line(HEADINGS), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n'));
};

/** A database beside the service's own, for the limits. */
const makeDatabase = async (dataDir: string) => {
  const joined = await startEmbeddedPostgres({ dataDir, processKind: 'operator', onLog: () => undefined });
  if (E.isLeft(joined)) throw new Error(joined.left.message);
  const { connectionString, stop } = joined.right;
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('create database limits');
  await client.end();
  return { service: connectionString, limits: new URL('limits', connectionString).href, leave: stop };
};

const portOf = (address: string): number => Number(new URL(address).port);

const run = async (dataDir: string): Promise<number> => {
  const service = await startBuiltService(dataDir);
  const generator = startLoadGenerator();
  const databases = await makeDatabase(dataDir);
  const limits = await startLimits(databases.limits, databases.service);
  const bench: Bench = { service: service.pid, limits: limits.pid, generator };
  const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
  const sides = {
    service: { port: portOf(service.address), path: API, idKey: '_id', headers },
    limits: { port: limits.port, path: '/crud', idKey: 'id', headers },
  } as const;
  const seeded = { service: await seed(generator, sides.service), limits: await seed(generator, sides.limits) };

  const rows: Array<ReadonlyArray<string>> = [];
  const measured: Array<Measured> = [];
  for (const each of cases.filter(({ name }) => name.includes(options.only))) {
    const loadOf = (side: 'service' | 'limits') => {
      const { headers: more = {}, sendsBusiness = false, ...request } = each[side](seeded[side]);
      const { connections } = each;
      return { ...request, sendsBusiness, connections, port: sides[side].port, headers: { ...headers, ...more } };
    };
    const pairs = await compare(bench, { service: loadOf('service'), limits: loadOf('limits') });
    rows.push(rowOf(each, pairs));
    measured.push(...pairs.flatMap((pair) => [pair.service, pair.limits]));
    console.error(`${each.name}: ${rows.at(-1)![6]}`);
  }
  print(rows);
  const most = (of: (of: Measured) => number): string => `${Math.round(100 * Math.max(...measured.map(of)))} %`;
  console.log(`The load generator took at most ${most(({ generator: share }) => share)} of a processor,`);
  console.log(`whatever else ran on the machine ${most(({ others }) => others)}.`);

  limits.stop();
  generator.stop();
  await databases.leave();
  await service.stop();
  return measured.reduce((sum, { result }) => sum + result.errors, 0);
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'speed-'));
try {
  process.exitCode = (await run(dataDir)) === 0 ? 0 : 1;
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
