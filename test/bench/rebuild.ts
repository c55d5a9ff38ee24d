/**
 * How fast the operator's program rebuilds, from its start to its end, with indexes and comparison, beside what bounds it:
 * reading the log and writing the rows with their indexes, with nothing in between. They alternate in one run on one
 * embedded Postgres with fsync; the log is in EventStoreDB where `EVENTSTOREDB_URL` names one, which has to be empty.
 * `npm run bench:rebuild`; with `--entities`, `--rounds` and `--json`. Figures, no pass or fail. Needs Linux.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { openEmbedded } from '../support/embedded-postgres.js';
import { eventsOfBusinesses } from './business-log.js';
import { runOps } from './ops.js';
import { cpuOf, cpuOfPostgresBelow } from './processes.js';
import { readOptions } from './read-options.js';
import { fillEventStoreDb } from './rebuild/fill-event-store-db.js';
import { startLimits } from './rebuild/limits.js';
import { amount, type Column, median, note, printReport } from './report.js';
import { fillLogWith } from './sealed-log.js';

const values = readOptions({
  entities: { type: 'string', default: '200000' },
  rounds: { type: 'string', default: '3' },
  json: { type: 'boolean', default: false },
});
const EVENTS_EACH = 5;
const [entities, rounds] = [Number(values.entities), Number(values.rounds)];
const events = entities * EVENTS_EACH;
const eventStoreDb = process.env['EVENTSTOREDB_URL'] ?? '';
const settings: Readonly<Record<string, string>> = eventStoreDb === '' ? {} : { EVENTSTOREDB_URL: eventStoreDb };

/** A rebuild, and what bounds it; s, CPU times µs an event. Without a log in Postgres there is no `byStream`. */
type Row = {
  readonly round: number;
  /** The log read in the order of streams, and as it lies on disk (in EventStoreDB: `$all`, filtered there). */
  readonly byStream: number;
  readonly raw: number;
  /** The rows written with their indexes. */
  readonly rows: number;
  /** Until the rows are there with their indexes, and from the start of the program to its end. */
  readonly built: number;
  readonly whole: number;
  readonly perSecond: number;
  /** What bounds it, as a share of `whole`: the log read and the rows written. */
  readonly ofByStream: number;
  readonly ofRaw: number;
  readonly node: number;
  readonly postgres: number;
  readonly peakMib: number;
};

const rebuild = async (dataDir: string) => {
  const cpu = () => ({ node: cpuOf(process.pid), postgres: cpuOfPostgresBelow(process.pid) });
  const before = cpu();
  const args = ['projections', 'rebuild', 'businesses', '--switch', 'always'];
  const { output, seconds: whole, peakMib } = await runOps(dataDir, args, settings);
  // of a child that has ended, its CPU time counts as this process's own
  const after = cpu();
  const [, read = '', took = ''] = /built from (\d+) events in ([\d.]+) s/.exec(output) ?? [];
  if (Number(read) !== events) throw new Error(`${read} events were read, not ${events}: ${output}`);
  const node = (after.node - before.node) / events;
  const postgres = (after.postgres - before.postgres) / events;
  return { built: Number(took), whole, perSecond: events / whole, node, postgres, peakMib };
};

const fill = async (connectionString: string): Promise<void> => {
  note(`writing a log of ${events} events over ${entities} businesses`);
  const written = eventsOfBusinesses(entities, EVENTS_EACH);
  if (eventStoreDb !== '') return fillEventStoreDb(eventStoreDb, written);
  await fillLogWith(connectionString, written);
};

const measureAll = async (dataDir: string, connectionString: string): Promise<ReadonlyArray<Row>> => {
  await fill(connectionString);
  await rebuild(dataDir);
  const client = new pg.Client({ connectionString });
  await client.connect();
  const limits = await startLimits(connectionString, eventStoreDb);
  const measured: Array<Row> = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      await client.query('checkpoint');
      const raw = await limits.run(eventStoreDb === '' ? 'raw' : '$all', events);
      const byStream = eventStoreDb === '' ? await limits.run('by stream', events) : NaN;
      const rows = await limits.run('rows', events);
      await client.query('checkpoint');
      const ran = await rebuild(dataDir);
      const [ofByStream, ofRaw] = [(byStream + rows) / ran.whole, (raw + rows) / ran.whole];
      measured.push({ round, byStream, raw, rows, ...ran, ofByStream, ofRaw });
      note(`round ${round}: rebuilt in ${ran.whole.toFixed(1)} s`);
    }
    return measured;
  } finally {
    limits.stop();
    await client.end();
  }
};

const seconds = (of: number): string => (Number.isNaN(of) ? '' : of.toFixed(1));
const ratio = (of: number): string => (Number.isNaN(of) ? '' : of.toFixed(2));

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['round', ({ round }) => String(round)],
  ['log by stream, s', ({ byStream }) => seconds(byStream)],
  [eventStoreDb === '' ? 'log raw, s' : '$all, s', ({ raw }) => seconds(raw)],
  ['rows with indexes, s', ({ rows }) => seconds(rows)],
  ['built, s', ({ built }) => seconds(built)],
  ['start to end, s', ({ whole }) => seconds(whole)],
  ['events a second', ({ perSecond }) => amount(perSecond)],
  ['of the limit by stream', ({ ofByStream }) => ratio(ofByStream)],
  ['of the raw limit', ({ ofRaw }) => ratio(ofRaw)],
  ['CPU µs an event, Node + Postgres', ({ node, postgres }) => `${amount(node)} + ${amount(postgres)}`],
  ['peak, MiB', ({ peakMib }) => String(peakMib)],
];

const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-rebuild-'));
const { connectionString, stop } = await openEmbedded(dataDir);
try {
  const rows = await measureAll(dataDir, connectionString);
  const medianOf = (of: (row: Row) => number): number => median(rows.map(of));
  const log = eventStoreDb === '' ? 'Postgres' : 'EventStoreDB';
  const figures = {
    log,
    events,
    perSecond: medianOf(({ perSecond }) => perSecond),
    ofByStream: medianOf(({ ofByStream }) => ofByStream),
    ofRaw: medianOf(({ ofRaw }) => ofRaw),
  };
  const bounds = log === 'Postgres' ? [`${ratio(figures.ofByStream)} of the limit by stream`] : [];
  const remarks = [
    `The log is in ${log}. Medians: ${amount(figures.perSecond)} events a second,`,
    `${[...bounds, `${ratio(figures.ofRaw)} of the raw limit`].join(', ')}.`,
  ];
  printReport(
    { command: 'bench:rebuild', options: { entities, rounds, json: values.json } },
    { rows, columns: COLUMNS, figures, remarks },
  );
} finally {
  await stop();
  await rm(dataDir, { recursive: true, force: true });
}
