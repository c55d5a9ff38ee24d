import type { VersionedSchema } from '../../../postgres/migrate.js';

/**
 * The tables of the log. `head` is one row: raising it is the lock that orders all appends, of all processes, and it
 * hands out positions in the order of commits. `data` and `metadata` are text: what was appended, byte for byte.
 */
export const eventLogSchema: VersionedSchema = {
  lock: 7_310_485_196n,
  versionTable: 'event_log.log',
  prepare: `
    create schema if not exists event_log;
    create table if not exists event_log.log (
      only_row boolean primary key default true check (only_row),
      identity uuid not null,
      version integer not null
    );
    insert into event_log.log (identity, version) values (gen_random_uuid(), 0) on conflict do nothing;`,
  steps: [
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
  ],
  allowsNewer: false,
};
