import { randomUUID } from 'node:crypto';
import type pg from 'pg';

/**
 * The tables of the log. `head` is one row: raising it is the lock that orders all appends, of all processes, and it
 * hands out positions in the order of commits. `data` and `metadata` are text: what was appended, byte for byte.
 * A released step is never edited; a change is a new step at the end.
 */
const steps: ReadonlyArray<string> = [
  `create table event_log.event (
     position bigint primary key,
     stream text collate "C" not null,
     revision bigint not null,
     id uuid not null,
     type text not null,
     data text not null,
     metadata text not null,
     unique (stream, revision)
   );
   create table event_log.head (
     only_row boolean primary key default true check (only_row),
     position bigint not null
   );
   insert into event_log.head (position) values (0);`,
];

// an arbitrary number that no other migration of the same database takes
const MIGRATION_LOCK = 7_310_485_196;

const prepare = `
  create schema if not exists event_log;
  create table if not exists event_log.log (
    only_row boolean primary key default true check (only_row),
    identity uuid not null,
    version integer not null
  );`;

const migrateLocked = async (client: pg.ClientBase): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
  await client.query(prepare);
  await client.query('insert into event_log.log (identity, version) values ($1, 0) on conflict do nothing', [
    randomUUID(),
  ]);
  const { rows } = await client.query<{ version: number }>('select version from event_log.log');
  const version = rows[0]?.version ?? 0;
  if (version > steps.length)
    throw new Error(`the event log has schema version ${version}, this program knows up to ${steps.length}`);
  for (const step of steps.slice(version)) await client.query(step);
  await client.query('update event_log.log set version = $1', [steps.length]);
};

const isMigrated = async (client: pg.ClientBase): Promise<boolean> => {
  const { rowCount } = await client.query("select where to_regclass('event_log.log') is not null");
  if (rowCount === 0) return false;
  return (await client.query('select from event_log.log where version = $1', [steps.length])).rowCount === 1;
};

/**
 * Brings the tables of the log to this program's version, in one transaction; processes that start together wait for
 * each other. A log of a newer version is an error. Needs no right to create anything when there is nothing to do.
 */
export const migrateEventLog = async (client: pg.ClientBase): Promise<void> => {
  if (await isMigrated(client)) return;
  await client.query('begin');
  try {
    await migrateLocked(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
};
