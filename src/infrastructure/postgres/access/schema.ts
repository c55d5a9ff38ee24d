import type { Pool } from 'pg';
import { migrate, type VersionedSchema } from '../../../postgres/migrate.js';

/**
 * The record of reads. Nothing is derived from it and no hash covers it: whoever owns the database can remove rows, which is
 * what `pruneReads` does. Others can only add to it.
 */
const accessSchema: VersionedSchema = {
  lock: 7_310_485_200n,
  versionTable: 'access.schema_version',
  prepare: `
    create schema if not exists access;
    create table if not exists access.schema_version (
      only_row boolean primary key default true check (only_row),
      version integer not null
    );
    insert into access.schema_version (version) values (0) on conflict do nothing;`,
  steps: [
    `create table access.read (
       id bigint generated always as identity primary key,
       at timestamptz not null,
       actor text not null,
       operation text not null,
       entity_type text,
       entity text,
       what text not null,
       form text not null,
       request_id text
     );
     create index read_by_entity on access.read (entity, id) where entity is not null;
     create index read_by_actor on access.read (actor, id);
     create index read_by_operation on access.read (operation, id);
     create index read_by_time on access.read using brin (at);
     create function access.refuse_change() returns trigger language plpgsql as $$
     begin
       raise exception '% of access.read is refused: what was read is never changed or forgotten', tg_op
         using hint = 'The owner of the table removes old rows with "ops reads prune", which says so in the record.';
     end $$;
     create trigger never_changed before update or delete or truncate on access.read
       for each statement execute function access.refuse_change();
     alter table access.read enable always trigger never_changed;`,
  ],
  allowsNewer: true,
};

/** Migrates the record of reads to this program's version; several processes may call it at once. */
export const migrateAccess = (pool: Pool): Promise<void> => migrate(pool, accessSchema);
