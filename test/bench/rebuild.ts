/**
 * How fast the operator's program rebuilds, beside what bounds it: reading the log and writing the rows, with nothing
 * in between. They alternate in one run on one embedded Postgres with fsync. `npm run bench:rebuild`; figures, no
 * pass or fail. ENTITIES and ROUNDS make it shorter.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { startEmbeddedPostgres } from '../../src/infrastructure/embedded/embedded-postgres.js';
import type { EventStore } from '../../src/event-sourcing/event-store.js';
import { makePostgresEventStore } from '../../src/infrastructure/postgres/event-log/postgres-event-store.js';
import { fillLog } from './business-log.js';

const ENTITIES = Number(process.env['ENTITIES'] ?? 200_000);
const EVENTS_EACH = 5;
const ROUNDS = Number(process.env['ROUNDS'] ?? 3);

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const median = (values: ReadonlyArray<number>): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
};

const drain = async (chunks: AsyncIterable<Buffer>): Promise<number> => {
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;
  return bytes;
};

const COLUMNS = 'stream, revision, position, id, type, data, metadata';

/** The log as a rebuild reads it, event by event, and thrown away. */
const readByStream = async ({ byStream }: EventStore): Promise<void> => {
  if (byStream === undefined) throw new Error('the log cannot be read by stream');
  const whole = { category: 'business', from: null, before: null };
  let events = 0;
  for await (const page of byStream.read(whole, BigInt(ENTITIES * EVENTS_EACH))) events += page.length;
  if (events !== ENTITIES * EVENTS_EACH) throw new Error(`${events} events were read`);
};

/** The bytes of the log in the order in which they lie on disk: what no fold of whole streams can reach. */
const copyLog = (client: pg.Client): Promise<number> =>
  drain(client.query(copyTo(`copy (select ${COLUMNS} from event_log.event) to stdout (format binary)`)));

const readRows = async (client: pg.Client): Promise<ReadonlyArray<Buffer>> => {
  const chunks: Array<Buffer> = [];
  for await (const chunk of client.query(
    copyTo('copy (select * from read_model.businesses) to stdout (format binary)'),
  ))
    chunks.push(chunk as Buffer); // reason: without an encoding it gives Buffers
  return chunks;
};

/** The rows as they are in the end, into a table like theirs. */
const copyRows = async (client: pg.Client, rows: ReadonlyArray<Buffer>): Promise<void> => {
  await client.query(`drop table if exists copied; create table copied (like read_model.businesses);
    alter table copied add primary key (id)`);
  await pipeline(Readable.from(rows), client.query(copyFrom('copy copied from stdin (format binary)')));
};

type Ran = { readonly built: number; readonly whole: number; readonly peakMib: number };

const peakOf = (pid: number): number => {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0; // it is gone, or this is not Linux
  }
};

/** The built program, as `npm run ops` runs it. */
const rebuild = async (dataDir: string): Promise<Ran> => {
  const env = { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, JWT_SECRET: 'a secret of at least 32 characters!' };
  const args = ['dist/src/cli/ops.js', 'projections', 'rebuild', 'businesses', '--switch', 'always'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let [output, peakMib] = ['', 0];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const watch = setInterval(() => (peakMib = Math.max(peakMib, peakOf(child.pid ?? 0))), 50);
  const whole = await seconds(() => new Promise((resolve) => child.once('close', resolve)));
  clearInterval(watch);
  const built = Number(/events in ([\d.]+) s/.exec(output)?.[1]);
  if (child.exitCode !== 0 || Number.isNaN(built)) throw new Error(`the rebuild failed: ${output}`);
  return { built, whole, peakMib };
};

const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-rebuild-'));
const started = await startEmbeddedPostgres({ dataDir, processKind: 'operator', onLog: () => undefined });
if (E.isLeft(started)) throw new Error(started.left.message);
const { connectionString, stop } = started.right;
const client = new pg.Client({ connectionString });
try {
  const store = await makePostgresEventStore({ connectionString });
  if (E.isLeft(store)) throw store.left;
  print(`writing a log of ${ENTITIES * EVENTS_EACH} events over ${ENTITIES} businesses`);
  await fillLog(connectionString, ENTITIES, EVENTS_EACH);
  await client.connect();
  await rebuild(dataDir);
  const rows = await readRows(client);

  const rounds: Array<Ran & { readonly read: number; readonly raw: number; readonly rows: number }> = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    await client.query('checkpoint');
    const raw = await seconds(() => copyLog(client));
    const read = await seconds(() => readByStream(store.right));
    const copied = await seconds(() => copyRows(client, rows));
    await client.query('checkpoint');
    const ran = await rebuild(dataDir);
    rounds.push({ ...ran, raw, read, rows: copied });
    print(
      `round ${round}: log read by stream ${read.toFixed(1)} s, copied raw ${raw.toFixed(1)} s, rows copied ` +
        `${copied.toFixed(1)} s; rebuilt ${ran.built.toFixed(1)} s, with comparison and switch ` +
        `${ran.whole.toFixed(1)} s, peak ${ran.peakMib.toFixed(0)} MiB`,
    );
  }
  const ratioOf = (limit: (ran: (typeof rounds)[number]) => number): string =>
    median(rounds.map((ran) => limit(ran) / ran.built)).toFixed(2);
  const built = median(rounds.map((ran) => ran.built));
  print(`rebuilt: ${Math.round((ENTITIES * EVENTS_EACH) / built)} events a second`);
  print(`of the limit, log read by stream + rows copied: ${ratioOf(({ read, rows: copied }) => read + copied)}`);
  print(`of the bound, log copied raw + rows copied: ${ratioOf(({ raw, rows: copied }) => raw + copied)}`);
  print(`peak memory: ${Math.max(...rounds.map(({ peakMib }) => peakMib)).toFixed(0)} MiB`);
  await store.right.close();
} finally {
  await client.end();
  await stop();
  await rm(dataDir, { recursive: true, force: true });
}
