/**
 * What bounds a rebuild, in a process of its own and without any of the rebuild's code: the log is read and thrown away,
 * and the rows are written as they are in the end, with nothing in between.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { EventStoreDBClient, streamNameFilter } from '@eventstore/db-client';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { LimitRun } from './limits.js';

const [connectionString = '', eventStoreDb = ''] = process.argv.slice(2);

const CATEGORY = 'business-';
const EVENTS = 'select stream, revision, position, id, type, data, metadata from event_log.event';

const drain = async (chunks: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of chunks); // only counted by the clock
};

const copyOut = (client: pg.Client, query: string) => client.query(copyTo(`copy (${query}) to stdout (format binary)`));

/** As they lie on disk: what no fold of whole streams can reach. */
const readRaw = (client: pg.Client): Promise<void> => drain(copyOut(client, EVENTS));

/** In the order of streams and revisions, by its index: otherwise the planner sorts everything first. */
const readByStream = async (client: pg.Client): Promise<void> => {
  await client.query('set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off; set jit = off');
  const range = `stream >= '${CATEGORY}' and stream < 'business.'`; // the character after the hyphen
  await drain(copyOut(client, `${EVENTS} where ${range} order by stream, revision`));
  await client.query('reset all');
};

/** So many events of `$all`, filtered by the server, as the client of EventStoreDB gives them. */
const readAll = async (events: number): Promise<void> => {
  const client = EventStoreDBClient.connectionString(eventStoreDb);
  const subscription = client.subscribeToAll({ filter: streamNameFilter({ prefixes: [CATEGORY] }) });
  let left = events;
  for await (const { event } of subscription) if (event !== undefined && (left -= 1) === 0) break;
  await subscription.unsubscribe().catch(() => undefined); // it has ended with the loop
  await client.dispose();
};

/** The table that is live. */
const liveTable = async (client: pg.Client): Promise<string> => {
  const text = `select table_name as name from information_schema.view_table_usage
    where view_schema = 'read_model' and view_name = 'businesses'`;
  const { rows } = await client.query<{ readonly name: string }>(text);
  return rows[0]!.name;
};

/** Its indexes but for the one of its key, as statements that make the same on another table. */
const indexesOf = async (client: pg.Client, table: string, on: string): Promise<ReadonlyArray<string>> => {
  const text = `select indexdef as text from pg_indexes where schemaname = 'read_model' and tablename = $1`;
  const { rows } = await client.query<{ readonly text: string }>(text, [table]);
  return rows
    .filter((index) => !index.text.startsWith('CREATE UNIQUE'))
    .map((index) => index.text.replace(/^CREATE INDEX \S+ ON \S+/, `create index on ${on}`));
};

/** Reads the final rows once; gives what writes them anew, into a table like theirs with all its indexes. */
const makeWriter = async (client: pg.Client): Promise<() => Promise<void>> => {
  const table = await liveTable(client);
  const indexes = await indexesOf(client, table, 'copied');
  const rows: Array<Buffer> = [];
  // reason: without an encoding it gives Buffers
  for await (const chunk of copyOut(client, `select * from read_model.${table}`)) rows.push(chunk as Buffer);
  // rebuilding drops the table that is live now, when two more have been made
  await client.query(`drop table if exists form; create table form (like read_model.${table})`);
  return async () => {
    await client.query(`drop table if exists copied; create table copied (like form);
      alter table copied add primary key (id)`);
    await pipeline(Readable.from(rows), client.query(copyFrom('copy copied from stdin (format binary)')));
    for (const index of indexes) await client.query(index);
    await client.query('analyze copied');
  };
};

const client = new pg.Client({ connectionString });
await client.connect();
const write = await makeWriter(client);

const work: { readonly [What in LimitRun['what']]: (events: number) => Promise<void> } = {
  raw: () => readRaw(client),
  'by stream': () => readByStream(client),
  $all: readAll,
  rows: write,
};

process.on('message', ({ what, events }: LimitRun) => {
  const began = performance.now();
  void work[what](events).then(() => process.send?.((performance.now() - began) / 1_000));
});
process.send?.('ready');
