/**
 * What auditors and operators wait for, with a log of 200,000 events on the embedded Postgres: ledger, searches, listings,
 * verification, packs, and what a `mac` costs. `npm run bench:history`; with `--events` and `--json`. Needs Linux, and
 * `python3`. Ends with 1 when a request failed.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { either as E } from 'fp-ts';
import pg from 'pg';
import type { EventKey } from '../../src/event-sourcing/event-key.js';
import { sharedEventKeys } from '../../src/infrastructure/event-keys.js';
import { openEmbedded } from '../support/embedded-postgres.js';
import { tokenFor } from '../support/service-process.js';
import { type BuiltService, startBuiltService } from './built-service.js';
import { measureLag } from './history/lag.js';
import { FORMS, listAll } from './history/listing.js';
import { type History, historyOf } from './history/log.js';
import { costOfMac } from './history/mac.js';
import { timeSearches } from './history/search.js';
import { searchesIn } from './history/searches.js';
import { startLoadGenerator } from './measure/load.js';
import { runOps } from './ops.js';
import { readOptions } from './read-options.js';
import { amount, type Column, note, printReport } from './report.js';
import { fillLogWith } from './sealed-log.js';
import { type Ends, withEnds } from './speed/ends.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';

const { json, events: count } = readOptions({
  events: { type: 'string', default: '200000' },
  json: { type: 'boolean', default: false },
});
const events = Number(count);

/** Events of a pack. */
const PACKED = 1_000;

const UNITS = {
  perSecond: 'events a second',
  creates: 'creates a second',
  seconds: 's',
  listening: 's until it listened',
  built: 's until it was built',
  microseconds: 'µs an event',
  withMac: 'µs with it',
  without: 'µs without',
  medianMs: 'ms in the middle',
  mostMs: 'ms at most',
  peakMib: 'MiB at most',
  grownMib: 'MiB more at most',
  bytes: 'bytes',
  eventsBehind: 'events at most',
} as const;

type Figure = keyof typeof UNITS;

type Row = {
  readonly what: string;
  readonly figures: Readonly<Partial<Record<Figure, number>>>;
  /** What the design asks for: the most of one figure. */
  readonly wanted?: readonly [figure: Figure, most: number];
  readonly requests?: number;
  readonly errors?: number;
  /** The query of the slowest search. */
  readonly slowest?: string;
};

const shown = (name: string, value: number): string => `${amount(value)} ${UNITS[name as Figure]}`; // reason: only figures are shown

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['what', ({ what }) => what],
  [
    'figures',
    ({ figures }) =>
      Object.entries(figures)
        .map(([name, value]) => shown(name, value))
        .join(', '),
  ],
  ['wanted', ({ wanted }) => (wanted === undefined ? '' : shown(...wanted))],
  ['errors', ({ errors }) => String(errors ?? '')],
  ['the slowest', ({ slowest }) => slowest ?? ''],
];

const rows: Array<Row> = [];
const add = (row: Row): void => {
  rows.push(row);
  note(
    COLUMNS.slice(0, 3)
      .map(([, cell]) => cell(row))
      .join(' | '),
  );
};

/** The key that the service of this data directory will seal with. */
const eventKeyOf = async (dataDir: string): Promise<EventKey> => {
  const keys = await sharedEventKeys(systemRuntime.random, { eventKeys: undefined, databaseUrl: undefined, dataDir });
  if (E.isLeft(keys)) throw keys.left;
  return keys.right[0]!; // reason: a data directory has one
};

/** Log and rows as the service makes them, but for the ledger, which is what the service has still to make. */
const prepare = async (dataDir: string, history: History, key: EventKey): Promise<void> => {
  const { connectionString, stop } = await openEmbedded(dataDir);
  try {
    note(`writing a log of ${events} events`);
    await fillLogWith(connectionString, history.written(), key);
    for (const name of ['businesses', 'documents'])
      await runOps(dataDir, ['projections', 'rebuild', name, '--switch', 'always']);
  } finally {
    await stop();
  }
};

const connect = async (dataDir: string, ends: Ends): Promise<pg.Client> => {
  const { connectionString, stop } = await openEmbedded(dataDir);
  ends.push(stop);
  const client = new pg.Client({ connectionString });
  await client.connect();
  ends.push(() => client.end());
  return client;
};

const untilInLedger = async (client: pg.Client): Promise<void> => {
  const text = 'select coalesce(max(idx) + 1, 0)::integer as events from read_model.ledger';
  while ((await client.query<{ readonly events: number }>(text)).rows[0]?.events !== events) await delay(10);
};

const startAndFill = async (dataDir: string, ends: Ends) => {
  const began = performance.now();
  const service = await startBuiltService(dataDir);
  ends.push(service.stop);
  const listening = (performance.now() - began) / 1_000;
  const client = await connect(dataDir, ends);
  await untilInLedger(client);
  const seconds = (performance.now() - began) / 1_000;
  add({ what: 'ledger, from the start of the service', figures: { seconds, perSecond: events / seconds, listening } });
  return { service, client };
};

type Headers = Readonly<Record<string, string>>;

const search = async ({ address }: BuiltService, headers: Headers, history: History): Promise<void> => {
  const searched = { address, headers, middle: Math.floor(events / 2) };
  const groups = searchesIn(history);
  // a service that has just started is not what is measured
  for (const group of groups) await timeSearches(searched, group);
  for (const group of groups) {
    const { requests, errors, medianMs, mostMs, slowest } = await timeSearches(searched, group);
    const { name, wanted } = group;
    add({
      what: name === 'no filter' ? 'search without a filter' : `search by ${name}`,
      figures: { medianMs, mostMs },
      wanted: ['mostMs', wanted],
      ...{ requests, errors, slowest },
    });
  }
};

const list = async (service: BuiltService, headers: Headers): Promise<void> => {
  for (const [name, form] of Object.entries(FORMS)) {
    const { seconds, marks, grownMib } = await listAll(service, headers, form);
    const errors = marks === events + (name === 'CSV' ? 1 : 0) ? 0 : 1;
    if (errors > 0) note(`${name} lists ${marks} of ${events} events`);
    add({ what: `list of all, ${name}`, figures: { seconds, perSecond: events / seconds, grownMib }, errors });
  }
};

const operate = async (dataDir: string): Promise<void> => {
  const empty = await runOps(dataDir, ['log', 'key']);
  add({ what: 'ops log key, hardly more than the start of the program', figures: { seconds: empty.seconds } });
  const verified = await runOps(dataDir, ['log', 'verify']);
  add({
    what: 'ops log verify',
    figures: {
      seconds: verified.seconds,
      microseconds: (verified.seconds * 1_000_000) / events,
      peakMib: verified.peakMib,
    },
  });
  const args = ['projections', 'rebuild', 'ledger', '--switch', 'always'];
  const { output, seconds, peakMib } = await runOps(dataDir, args);
  const [, read, took] = /built from (\d+) events in ([\d.]+) s/.exec(output) ?? [];
  if (Number(read) !== events) throw new Error(`${read} events were read, not ${events}: ${output}`);
  const built = Number(took);
  add({ what: 'ops projections rebuild ledger', figures: { seconds, perSecond: events / seconds, built, peakMib } });
};

const pack = async (dataDir: string, folder: string, history: History): Promise<void> => {
  const file = path.join(folder, 'pack.zip');
  const packed = await runOps(dataDir, ['audit', 'pack', ...history.some(PACKED), '--out', file]);
  const { size: bytes } = await stat(file);
  const of = `of ${PACKED.toLocaleString('en')} events`;
  add({ what: `ops audit pack ${of}`, figures: { seconds: packed.seconds, peakMib: packed.peakMib, bytes } });
  const { output } = await runOps(dataDir, ['log', 'key']);
  const [key = ''] = /^\S+\+[0-9a-f]{8}\+\S+$/m.exec(output) ?? [];
  const began = performance.now();
  await promisify(execFile)('python3', ['verifiers/verify.py', 'pack', file, '--key', key]);
  add({ what: `verify.py pack ${of}`, figures: { seconds: (performance.now() - began) / 1_000 } });
};

const lag = async (address: string, token: string, client: pg.Client, ends: Ends): Promise<void> => {
  const generator = startLoadGenerator();
  ends.push(generator.stop);
  const { load, medianMs, mostMs, eventsBehind } = await measureLag(client, generator, { address, token });
  add({
    what: 'from the answer to a create until it is in the ledger, 64 connections',
    figures: { medianMs, mostMs, eventsBehind, creates: load.requests / load.seconds },
    wanted: ['mostMs', 1_000],
    requests: load.requests,
    errors: load.errors,
  });
};

const mac = (key: EventKey): void => {
  const { withMac, without, difference } = costOfMac(key);
  add({
    what: 'what a mac adds to sealing',
    figures: { microseconds: difference, withMac, without },
    wanted: ['microseconds', 3],
  });
};

await withEnds(async (ends) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'history-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  const dataDir = path.join(folder, 'data');
  const history = historyOf(events);
  const key = await eventKeyOf(dataDir);
  await prepare(dataDir, history, key);
  const token = await tokenFor('admin', 'alice');
  const headers = { Authorization: `Bearer ${token}` };
  await withEnds(async (running) => {
    const { service, client } = await startAndFill(dataDir, running);
    await search(service, headers, history);
    await list(service, headers);
    await operate(dataDir);
    await pack(dataDir, folder, history);
    await lag(service.address, token, client, running);
  });
  mac(key);
});
printReport({ command: 'bench:history', options: { events, json } }, { rows, columns: COLUMNS });
process.exitCode = rows.every(({ errors = 0 }) => errors === 0) ? 0 : 1;
