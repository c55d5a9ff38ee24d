import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { unlessMissing } from '../../../../src/infrastructure/disk/missing-files.js';
import { makeApi } from '../../../support/api.js';
import { membersOf } from '../../../support/audit-pack.js';
import { openEmbedded } from '../../../support/embedded-postgres.js';
import { follow } from '../../../support/event-stream.js';
import { runOperator } from '../../../support/operator.js';
import { tokenFor } from '../../../support/service-process.js';
import { markersIn, type Planted } from './plant.js';

/** The markers that were found, by the place. */
export type Found = ReadonlyMap<string, ReadonlySet<string>>;

const found = (...parts: ReadonlyArray<Buffer | string>): ReadonlySet<string> =>
  new Set(parts.flatMap((part) => markersIn(part)));

/** Whether some bytes are in one of the files below a directory. */
export const hasBytes = async (root: string, wanted: Buffer): Promise<boolean> => {
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && (await readFile(path.join(entry.parentPath, entry.name))).includes(wanted)) return true;
  return false;
};

/** In the names of the files below a directory, and in their bytes; those of gzip as what they hold, too. */
export const inFiles = async (root: string, name = ''): Promise<ReadonlySet<string>> => {
  const markers = new Set<string>();
  for (const entry of await readdir(path.join(root, name), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    // Postgres removes what it needs no more
    const bytes = (await unlessMissing(readFile(file))) ?? Buffer.alloc(0);
    const parts = file.endsWith('.gz') ? [file, bytes, gunzipSync(bytes)] : [file, bytes];
    for (const marker of found(...parts)) markers.add(marker);
  }
  return markers;
};

/** Works on the database of an embedded service, which may run. */
export const withDatabase = async <A>(
  dataDir: string,
  work: (client: pg.Client, directory: string) => Promise<A>,
): Promise<A> => {
  const { connectionString, directory, stop } = await openEmbedded(dataDir);
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client, directory);
  } finally {
    await client.end();
    await stop();
  }
};

type Column = { readonly table: string; readonly bytes: ReadonlyArray<string> };

const TABLES = `
  select format('%I.%I', n.nspname, c.relname) as "table",
    array(select quote_ident(attname) from pg_attribute where attrelid = c.oid and atttypid = 'bytea'::regtype)::text[] as bytes
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where c.relkind in ('r', 'm') and (n.nspname not in ('pg_catalog', 'information_schema') or c.relname = 'pg_statistic')`;

/** Every row of every table of every schema, as text, and what the statistics keep of them. */
const inTables = (dataDir: string): Promise<Found> =>
  withDatabase(dataDir, async (client) => {
    const places = new Map<string, ReadonlySet<string>>();
    for (const { table, bytes } of (await client.query<Column>(TABLES)).rows) {
      const columns = ['t::text', ...bytes.map((column) => `encode(${column}, 'escape')`)];
      const { rows } = await client.query<Record<string, string | null>>(
        `select ${columns.map((column, at) => `${column} as c${at}`).join(', ')} from ${table} as t`,
      );
      places.set(`table ${table}`, found(...rows.flatMap((row) => Object.values(row).map(String))));
    }
    return places;
  });

type Service = { readonly address: string; readonly output: () => string };

/** What a service answers, to those who may ask for everything. */
const inAnswers = async ({ address }: Service, planted: Planted): Promise<Found> => {
  const token = await tokenFor('admin', 'ann');
  const text = async (where: string, accept: string): Promise<string> =>
    (await fetch(`${address}${where}`, { headers: { Authorization: `Bearer ${token}`, Accept: accept } })).text();
  const api = makeApi(address, token);
  const json = async (...paths: ReadonlyArray<string>): Promise<ReadonlySet<string>> =>
    found(...(await Promise.all(paths.map(async (where) => (await api.send('GET', where)).text()))));
  const records = [
    ...[...planted.businesses, ...planted.hosts].map((id) => `/business/${id}`),
    ...planted.documents.map((id) => `/document/${id}`),
  ];
  const ndjson = await text('/audit/v1/events', 'application/x-ndjson');
  const replayed = async (where: string, count: number): Promise<ReadonlySet<string>> => {
    const feed = await follow(`${address}${where}`, token);
    const received = await feed.until(count);
    feed.leave();
    return found(JSON.stringify(received));
  };
  const all = ndjson.trimEnd().split('\n').length;
  const feeds: Array<readonly [string, ReadonlySet<string>]> = [];
  for (const where of records.slice(0, 9)) {
    const { length } = await api.json<ReadonlyArray<unknown>>('GET', `${where}/events`);
    feeds.push([`feed of ${where.split('/')[1]}`, await replayed(`/api/v1${where}/events`, length)]);
  }
  return new Map([
    ['NDJSON of the events', found(ndjson)],
    ['CSV of the events', found(await text('/audit/v1/events', 'text/csv'))],
    ['feed of all events', await replayed('/audit/v1/events', all)],
    ['feeds of records', new Set(feeds.flatMap(([, markers]) => [...markers]))],
    ['reads', found(await text('/audit/v1/reads', 'application/x-ndjson'))],
    ['histories', await json(...records.map((where) => `${where}/events?diff=true`))],
    ['stored data', await json(...records.map((where) => `${where}/events?proof=true`))],
    ['lists', await json('/business', '/document', ...records)],
    ['earlier states', await json(...records.map((where) => `${where}?revision=1`))],
    ['metrics', found(await text('/metrics', 'text/plain'))],
  ]);
};

/** What commands give out; `home` is where they may write. */
const inOutputs = async (
  env: Readonly<Record<string, string>>,
  home: string,
  { businesses, hosts, documents }: Planted,
): Promise<Found> => {
  const ops = async (...args: ReadonlyArray<string>) => {
    const { code, stdout, stderr } = await runOperator(args, { env });
    if (code !== 0) throw new Error(`ops ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout + stderr;
  };
  const records = [
    ...[...businesses, ...hosts].map((id) => `business/${id}`),
    ...documents.map((id) => `document/${id}`),
  ];
  const pack = path.join(home, `pack-${performance.now()}.zip`);
  await ops('audit', 'pack', ...records, '--out', pack);
  const members = await membersOf(await readFile(pack));
  await ops('backup', path.join(home, 'backup'));
  return new Map([
    ['export', found(await ops('log', 'export'))],
    ['audit pack', found(...[...members].flat())],
    ['backup', await inFiles(home, 'backup')],
    ['ops events', found(await ops('events', '--json'))],
  ]);
};

/** Looks for markers wherever something of a record could be while the service runs. */
export const search = async (
  service: Service,
  env: Readonly<Record<string, string>>,
  home: string,
  planted: Planted,
): Promise<Found> => {
  const dataDir = env['DATA_DIR'] ?? '';
  return new Map([
    ...(await inAnswers(service, planted)),
    ...(await inOutputs(env, home, planted)),
    ...(await inTables(dataDir)),
    ['storage', await inFiles(dataDir, 'files')],
    ['log of the service', found(service.output())],
  ]);
};
