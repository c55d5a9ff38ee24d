/**
 * What requests cost while the data grows: with 10,000 and 200,000 businesses and as many documents, with `--large` also
 * with 1,000,000. `npm run bench:growth`; with `--only <part of a name>`, `--sizes 10000,50000`, `--seconds` of each
 * measurement, and `--json`. Needs Linux. Ends with 1 when a request failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { either as E } from 'fp-ts';
import { openEmbedded } from '../support/embedded-postgres.js';
import { openStore } from '../support/postgres-event-store.js';
import { tokenFor } from '../support/service-process.js';
import { startBuiltService } from './built-service.js';
import { casesOf, type GrowthCase } from './growth/cases.js';
import { seed, type Seeded } from './growth/seed.js';
import { collectedBy } from './measure/collected.js';
import { type LoadGenerator, type LoadResult, startLoadGenerator } from './measure/load.js';
import { measure, type Measured, type Processes, type Side } from './measure/measure.js';
import { runOps } from './ops.js';
import { cpuOfPostgresBelow } from './processes.js';
import { readOptions } from './read-options.js';
import { amount, type Column, note, percent, percentile, printReport } from './report.js';

const values = readOptions({
  only: { type: 'string', default: '' },
  sizes: { type: 'string' },
  seconds: { type: 'string', default: '1' },
  large: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
});
const { only, json } = values;
const seconds = Number(values.seconds);
const sizes = values.sizes?.split(',').map(Number) ?? [10_000, 200_000, ...(values.large ? [1_000_000] : [])];

type Row = Omit<Measured, 'eventStoreDb'> & {
  readonly name: string;
  readonly businesses: number;
  /** How many times what it was with the fewest businesses: requests a second, and CPU time. */
  readonly ratio: number;
  readonly cpuRatio: number;
};

const VERIFIED = 200;

/** The head of a category without events, each time by a program that has just started. */
const measureHead = async (connectionString: string): Promise<Measured> => {
  const times: Array<number> = [];
  for (let run = 0; run < 20; run += 1) {
    const store = await openStore(connectionString);
    await store.identity();
    const began = performance.now();
    const head = await store.head(['contact']);
    times.push(performance.now() - began);
    await store.close();
    if (E.isLeft(head) || head.right !== undefined) throw new Error('the category has no events');
  }
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  const unseen = { node: NaN, postgres: NaN, eventStoreDb: NaN, gc: NaN, generator: NaN, foreign: NaN };
  return { requests: times.length, errors: 0, seconds: NaN, p50, p99, perSecond: 1_000 / p50, ...unseen };
};

/** Log and rows as the service makes them: the rows by a rebuild, some of them compared with their streams. */
const prepare = async (dataDir: string, size: number) => {
  const { connectionString, stop } = await openEmbedded(dataDir);
  try {
    const seeded = await seed(connectionString, size);
    for (const name of ['businesses', 'documents']) {
      await runOps(dataDir, ['projections', 'rebuild', name, '--switch', 'always']);
      await runOps(dataDir, ['projections', 'verify', name, '--sample', String(VERIFIED)]);
    }
    return { seeded, head: await measureHead(connectionString) };
  } finally {
    await stop();
  }
};

type Target = {
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

const senderOf =
  (target: Target, each: GrowthCase): Side['send'] =>
  (length) => {
    const { name: _, isCold = false, ...request } = each;
    const { port, headers, generator } = target;
    return isCold ? sendOnce(target, each) : generator.run({ ...request, port, headers, status: 200, length });
  };

const cpu = ({ node, postgres }: Pick<Measured, 'node' | 'postgres'>): number => node + postgres;

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['request', ({ name }) => name],
  ['businesses', ({ businesses }) => businesses.toLocaleString('en')],
  ['a second', ({ perSecond }) => amount(perSecond)],
  ['ratio', ({ ratio }) => amount(ratio)],
  ['p50, ms', ({ p50 }) => amount(p50)],
  ['p99, ms', ({ p99 }) => amount(p99)],
  ['CPU µs, Node + Postgres', (row) => (Number.isNaN(cpu(row)) ? '' : `${amount(row.node)} + ${amount(row.postgres)}`)],
  ['ratio', ({ cpuRatio }) => amount(cpuRatio)],
  ['GC of Node', ({ gc }) => percent(gc)],
  ['errors', ({ errors }) => String(errors)],
];

type OnMeasured = (name: string, measured: Measured) => void;

const measureAll = async (seeded: Seeded, dataDir: string, onMeasured: OnMeasured): Promise<void> => {
  const service = await startBuiltService(dataDir);
  const generator = startLoadGenerator();
  try {
    const headers = { Authorization: `Bearer ${await tokenFor('admin', 'alice')}` };
    const target = { port: Number(new URL(service.address).port), generator, headers };
    const postgres = (): number => cpuOfPostgresBelow(service.pid);
    const servers = { postgres, eventStoreDb: () => NaN };
    const processes: Processes = { servers, generator: generator.pid, others: [service.pid] };
    const collected = (): Promise<number> => collectedBy(service.address, headers);
    for (const each of casesOf(seeded).filter(({ name }) => name.includes(only))) {
      const side = { pid: service.pid, send: senderOf(target, each), collected };
      if (each.isCold !== true) await side.send({ seconds: seconds / 2 });
      onMeasured(each.name, await measure(processes, side, { seconds }));
    }
  } finally {
    generator.stop();
    await service.stop();
  }
};

const rows: Array<Row> = [];
for (const businesses of sizes) {
  const onMeasured: OnMeasured = (name, { eventStoreDb: _, ...measured }) => {
    const smallest = rows.find((row) => row.name === name) ?? measured;
    const ratio = measured.perSecond / smallest.perSecond;
    rows.push({ name, businesses, ...measured, ratio, cpuRatio: cpu(measured) / cpu(smallest) });
    note(`${name}, ${businesses.toLocaleString('en')}: ${amount(measured.perSecond)} a second`);
  };
  const dataDir = await mkdtemp(path.join(tmpdir(), 'growth-'));
  try {
    const { seeded, head } = await prepare(dataDir, businesses);
    const name = 'head of a category without events';
    if (name.includes(only)) onMeasured(name, head);
    await measureAll(seeded, dataDir, onMeasured);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}
printReport({ command: 'bench:growth', options: { only, sizes, seconds, json } }, { rows, columns: COLUMNS });
process.exitCode = rows.every(({ errors }) => errors === 0) ? 0 : 1;
