/**
 * What it costs to compare the rows with their events all the time: how many records a second, and how much of a core they
 * take of Node and of Postgres, in a process that does nothing else, on an embedded Postgres with the log.
 * `npm run bench:drift`; with `--entities`, `--events`, `--seconds` and `--json`. Figures, no pass or fail. Needs Linux.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { watchDrift } from '../../projections/engine/verify/watch-drift.js';
import { ledgerOf, projectionsOf, registry } from '../../src/entities/registry.js';
import { openEmbedded } from '../support/embedded-postgres.js';
import { openStore } from '../support/postgres-event-store.js';
import { eventsOfBusinesses } from './business-log.js';
import { runOps } from './ops.js';
import { cpuOf, cpuOfPostgresBelow } from './processes.js';
import { readOptions } from './read-options.js';
import { amount, type Column, note, printReport } from './report.js';
import { fillLogWith } from './sealed-log.js';
import { systemRuntime } from '../../src/infrastructure/system-runtime.js';
import { ownStorage } from '../support/read-model-storage.js';

const values = readOptions({
  entities: { type: 'string', default: '200000' },
  events: { type: 'string', default: '5' },
  seconds: { type: 'string', default: '60' },
  json: { type: 'boolean', default: false },
});
const [entities, each, seconds] = [Number(values.entities), Number(values.events), Number(values.seconds)];

type Row = {
  /** Records a second, and the hours of a round over all records. */
  readonly perSecond: number;
  readonly hours: number;
  /** Shares of a core, and CPU time, µs a record. */
  readonly nodeShare: number;
  readonly postgresShare: number;
  readonly node: number;
  readonly postgres: number;
  readonly drifted: number;
};

const percent = (share: number): string => `${(100 * share).toFixed(1)}%`;

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ['records a second', ({ perSecond }) => amount(perSecond)],
  [`hours for ${entities.toLocaleString('en')} records`, ({ hours }) => hours.toFixed(2)],
  ['of a core, Node', ({ nodeShare }) => percent(nodeShare)],
  ['of a core, Postgres', ({ postgresShare }) => percent(postgresShare)],
  ['CPU µs a record, Node', ({ node }) => amount(node)],
  ['CPU µs a record, Postgres', ({ postgres }) => amount(postgres)],
  ['drifted', ({ drifted }) => String(drifted)],
];

const measure = async (connectionString: string): Promise<Row> => {
  const store = await openStore(connectionString);
  let [compared, drifted] = [0, 0];
  const watching = watchDrift({
    runtime: systemRuntime,
    store,
    projections: projectionsOf(registry),
    ledger: ledgerOf(registry).name,
    storage: ownStorage(connectionString),
    isProjecting: () => true,
    onDrift: () => (drifted += 1),
    onGone: () => undefined,
    onEvent: (event) => note(JSON.stringify(event)),
    onCompared: (records) => (compared += records),
  });
  const cpu = () => ({ node: cpuOf(process.pid), postgres: cpuOfPostgresBelow(process.pid) });
  // what is compiled and planned first is not what is measured
  await delay(5_000);
  const [before, began] = [cpu(), performance.now()];
  compared = 0;
  await delay(seconds * 1_000);
  const [after, count, us] = [cpu(), compared, (performance.now() - began) * 1_000];
  await watching.stop();
  await store.close();
  const [node, postgres] = [after.node - before.node, after.postgres - before.postgres];
  const perSecond = (count * 1_000_000) / us;
  return {
    ...{ perSecond, hours: entities / perSecond / 3_600, drifted },
    ...{ nodeShare: node / us, postgresShare: postgres / us, node: node / count, postgres: postgres / count },
  };
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-drift-'));
const { connectionString, stop } = await openEmbedded(dataDir);
try {
  note(`writing a log of ${entities * each} events over ${entities} businesses`);
  await fillLogWith(connectionString, eventsOfBusinesses(entities, each));
  for (const name of ['businesses', 'documents', 'ledger'])
    await runOps(dataDir, ['projections', 'rebuild', name, '--switch', 'always']);
  const client = new pg.Client({ connectionString });
  await client.connect();
  // what Postgres does by itself after so much was written is not what is measured
  for (const statement of ['vacuum analyze', 'checkpoint']) await client.query(statement);
  await client.end();
  note(`comparing for ${seconds} s`);
  const rows = [await measure(connectionString)];
  printReport(
    { command: 'bench:drift', options: { entities, events: each, seconds, json: values.json } },
    { rows, columns: COLUMNS },
  );
} finally {
  await stop();
  await rm(dataDir, { recursive: true });
}
