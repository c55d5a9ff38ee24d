/**
 * The rows of `npm run bench` on servers of one's own: those that `EVENTSTOREDB_URL`, `DATABASE_URL` and the S3 settings
 * name, and the embedded Postgres and the disk for the rest. With EventStoreDB also creates beside bare appends of its
 * client. `npm run bench:stacks`; with the options of `npm run bench`. Needs Linux, and in EventStoreDB an empty log, in
 * which its events stay. Ends with 1 when a request failed, and when no server is named.
 */
import { either as E } from 'fp-ts';
import { readConfig } from '../../src/config.js';
import { SERVERS } from '../contract/run/adapters.js';
import { type Sender, startSender } from './measure/load.js';
import type { Side } from './measure/measure.js';
import { note, printReport } from './report.js';
import { cases, createRequest } from './speed/cases.js';
import { besides, columnsOf, compare, type Row } from './speed/compare.js';
import { readSpeedOptions } from './speed/options.js';
import { type Settings, type Stack, withStack } from './speed/stack.js';
import type { Appends } from './stacks/bare-appends.js';

const options = readSpeedOptions();

const S3 = SERVERS.filter((name) => name.startsWith('S3_')).join(', ');

/** The settings of this process that name servers; none: it says which there are. */
const readSettings = (): Settings | undefined => {
  const named = [...SERVERS, 'S3_REGION'].flatMap((name) => {
    const value = process.env[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const settings = Object.fromEntries(named);
  const config = readConfig(settings);
  const { databaseUrl, eventStoreDbUrl, s3 } = E.isRight(config) ? config.right : {};
  if ([databaseUrl, eventStoreDbUrl, s3].some((server) => server !== undefined)) return settings;
  if (E.isLeft(config)) for (const fault of config.left) note(fault);
  note(`set what names the servers to measure: EVENTSTOREDB_URL, DATABASE_URL, or all of ${S3}`);
  return undefined;
};

/** What the requests are measured on, for whoever reads the figures. */
const stackOf = ({ EVENTSTOREDB_URL: log, DATABASE_URL: database, S3_ENDPOINT: files }: Settings) => ({
  log: log !== undefined ? 'EventStoreDB' : database !== undefined ? 'Postgres of one’s own' : 'embedded Postgres',
  readModels: database !== undefined ? 'Postgres of one’s own' : 'embedded Postgres',
  files: files !== undefined ? 'S3' : 'disk',
});

/** Creates at each number of connections beside as many callers of the bare client. */
const compareWithAppends = async (stack: Stack, connectionString: string): Promise<ReadonlyArray<Row>> => {
  const appends: Sender<Appends> = startSender(new URL('stacks/bare-appends.ts', import.meta.url), [connectionString]);
  try {
    const rows: Array<Row> = [];
    for (const connections of [1, 16, 64]) {
      const limit: Side = { pid: appends.pid, send: (length) => appends.run({ connections, length }) };
      const sides = { service: stack.serviceSide(createRequest, connections), limit };
      const processes = { ...stack.processes, others: [...stack.processes.others, appends.pid] };
      const named = { name: 'create', connections, limitIs: 'bare append to EventStoreDB' };
      rows.push(await compare(processes, named, sides, options));
    }
    return rows;
  } finally {
    appends.stop();
  }
};

const measureOn = (settings: Settings): Promise<ReadonlyArray<Row>> =>
  withStack(settings, options.businesses, async (stack) => {
    const rows: Array<Row> = [];
    // what is wanted of a ratio is wanted of it on the embedded Postgres
    for (const { wanted: _, ...each } of cases(options.businesses))
      if (each.name.includes(options.only)) rows.push(await stack.compare(each, options));
    const { EVENTSTOREDB_URL: log } = settings;
    return log === undefined || !'create'.includes(options.only)
      ? rows
      : [...rows, ...(await compareWithAppends(stack, log))];
  });

const settings = readSettings();
if (settings === undefined) process.exitCode = 1;
else {
  const stack = stackOf(settings);
  const rows = await measureOn(settings);
  const { figures, remarks } = besides(rows);
  const servers = settings['EVENTSTOREDB_URL'] === undefined ? 'Postgres' : 'Postgres + EventStoreDB';
  const where = `log: ${stack.log}, read models: ${stack.readModels}, files: ${stack.files}`;
  printReport(
    { command: 'bench:stacks', options },
    { rows, columns: columnsOf(servers), figures: { stack, ...figures }, remarks: [where, ...remarks] },
  );
  process.exitCode = rows.every(({ errors }) => errors === 0) ? 0 : 1;
}
