/**
 * What requests cost while the data grows: with 10,000 and 200,000 businesses and as many documents, with `--large` also
 * with 1,000,000. `npm run bench:growth`; with `--only <part of a name>`, `--sizes 10000,50000`, `--seconds` of each
 * measurement, and `--json` for one JSON object a row. Needs Linux. Ends with 1 when a request failed.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { either as E } from 'fp-ts';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import { makePostgresEventStore } from '../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { JWT_SECRET, tokenFor } from '../support/service-process.js';
import { type BuiltService, startBuiltService } from './built-service.js';
import { casesOf, type GrowthCase } from './growth/cases.js';
import { seed, type Seeded } from './growth/seed.js';
import { cpuOf, cpuOfPostgresBelow } from './processes.js';
import { type LoadGenerator, type LoadResult, startLoadGenerator } from './speed/load.js';

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    sizes: { type: 'string' },
    seconds: { type: 'string', default: '1' },
    large: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(options.seconds);
const sizes = options.sizes?.split(',').map(Number) ?? [10_000, 200_000, ...(options.large ? [1_000_000] : [])];

/** CPU times are µs per request. */
type Row = {
  readonly name: string;
  readonly businesses: number;
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly node: number;
  readonly postgres: number;
  readonly errors: number;
};

const VERIFIED = 200;

/** The built operator's program. */
const ops = async (dataDir: string, ...args: ReadonlyArray<string>): Promise<void> => {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, JWT_SECRET };
  const child = spawn(process.execPath, ['dist/src/cli/ops.js', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`ops ${args.join(' ')} failed: ${output}`);
};

const percentile = (times: ReadonlyArray<number>, share: number): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? NaN;

/** The head of a category without events, each time by a program that has just started; p50 and p99, ms. */
const measureHead = async (connectionString: string, businesses: number): Promise<Row> => {
  const times: Array<number> = [];
  for (let run = 0; run < 20; run += 1) {
    const store = await makePostgresEventStore({ connectionString });
    if (E.isLeft(store)) throw store.left;
    await store.right.identity();
    const began = performance.now();
    const head = await store.right.head(['contact']);
    times.push(performance.now() - began);
    await store.right.close();
    if (E.isLeft(head) || head.right !== undefined) throw new Error('the category has no events');
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const name = 'head of a category without events';
  return { name, businesses, perSecond: 1_000 / p50, p50, p99, node: NaN, postgres: NaN, errors: 0 };
};

/** Log and rows as the service makes them: the rows by a rebuild, some of them compared with their streams. */
const prepare = async (dataDir: string, size: number) => {
  const started = await startEmbeddedPostgres({ dataDir, processKind: 'operator', onLog: () => undefined });
  if (E.isLeft(started)) throw new Error(started.left.message);
  const { connectionString, stop } = started.right;
  try {
    const store = await makePostgresEventStore({ connectionString });
    if (E.isLeft(store)) throw store.left;
    await store.right.close();
    const seeded = await seed(connectionString, size);
    for (const name of ['businesses', 'documents']) {
      await ops(dataDir, 'projections', 'rebuild', name, '--switch', 'always');
      await ops(dataDir, 'projections', 'verify', name, '--sample', String(VERIFIED));
    }
    return { seeded, head: await measureHead(connectionString, size) };
  } finally {
    await stop();
  }
};

type Target = {
  readonly service: BuiltService;
  readonly port: number;
  readonly generator: LoadGenerator;
  readonly headers: Readonly<Record<string, string>>;
};

/** Each path once, one after the other. */
const sendOnce = async ({ port, headers }: Target, { method, paths }: GrowthCase): Promise<LoadResult> => {
  const began = performance.now();
  const times: Array<number> = [];
  let errors = 0;
  for (const each of paths) {
    const sentAt = performance.now();
    const body = JSON.stringify({ name: `Acme ${sentAt}` });
    const sent = { method, body, headers: { ...headers, 'content-type': 'application/json' } };
    const response = await fetch(`http://127.0.0.1:${port}${each}`, sent);
    await response.arrayBuffer();
    times.push(performance.now() - sentAt);
    if (response.status !== 200) errors += 1;
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { requests: paths.length, errors, seconds: (performance.now() - began) / 1_000, p50, p99 };
};

const measure = async (target: Target, each: GrowthCase, businesses: number): Promise<Row> => {
  const { service, generator, port, headers } = target;
  const { name, isCold = false, ...request } = each;
  const send = (length: number): Promise<LoadResult> =>
    isCold
      ? sendOnce(target, each)
      : generator.run({ ...request, port, headers, status: 200, length: { seconds: length } });
  if (!isCold) await send(seconds / 2);
  const [node, postgres] = [cpuOf(service.pid), cpuOfPostgresBelow(service.pid)];
  const { requests, errors, seconds: took, p50, p99 } = await send(seconds);
  return {
    ...{ name, businesses, p50, p99, errors },
    perSecond: requests / took,
    node: (cpuOf(service.pid) - node) / requests,
    postgres: (cpuOfPostgresBelow(service.pid) - postgres) / requests,
  };
};

const amount = (value: number): string =>
  Number.isNaN(value) ? '' : value < 1_000 ? value.toPrecision(3) : Math.round(value).toLocaleString('en');

/** How many times what it was with the fewest businesses. What else the machine does changes CPU times least. */
const ratioOf = (row: Row, smallest: ReadonlyMap<string, Row>, of: (row: Row) => number): number =>
  of(row) / of(smallest.get(row.name) ?? row);

const HEADINGS = [
  'request',
  'businesses',
  'a second',
  'ratio',
  'p50, ms',
  'p99, ms',
  'CPU µs, Node + Postgres',
  'ratio',
  'errors',
];

const report = (row: Row, smallest: ReadonlyMap<string, Row>): void => {
  const ratio = ratioOf(row, smallest, ({ perSecond }) => perSecond);
  const cpuRatio = ratioOf(row, smallest, ({ node, postgres }) => node + postgres);
  if (options.json) {
    console.log(JSON.stringify({ ...row, ratio, cpuRatio }));
    return;
  }
  const cpu = Number.isNaN(row.node) ? '' : `${amount(row.node)} + ${amount(row.postgres)}`;
  const cells = [row.name, row.businesses.toLocaleString('en'), amount(row.perSecond), ratio.toFixed(2)];
  console.log(
    `| ${[...cells, amount(row.p50), amount(row.p99), cpu, amount(cpuRatio), String(row.errors)].join(' | ')} |`,
  );
};

const runSize = async (size: number, seeded: Seeded, dataDir: string, onRow: (row: Row) => void): Promise<void> => {
  const service = await startBuiltService(dataDir);
  const generator = startLoadGenerator();
  try {
    const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const target = { service, port: Number(new URL(service.address).port), generator, headers };
    for (const each of casesOf(seeded)) if (each.name.includes(options.only)) onRow(await measure(target, each, size));
  } finally {
    generator.stop();
    await service.stop();
  }
};

const smallest = new Map<string, Row>();
let errors = 0;
const onRow = (row: Row): void => {
  if (row.businesses === sizes[0]) smallest.set(row.name, row);
  errors += row.errors;
  report(row, smallest);
};

if (!options.json) console.log(`| ${HEADINGS.join(' | ')} |\n| ${HEADINGS.map(() => '-').join(' | ')} |`);
for (const size of sizes) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'growth-'));
  try {
    const { seeded, head } = await prepare(dataDir, size);
    if (head.name.includes(options.only)) onRow(head);
    await runSize(size, seeded, dataDir, onRow);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
process.exitCode = errors === 0 ? 0 : 1;
