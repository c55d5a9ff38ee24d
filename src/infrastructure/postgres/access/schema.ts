import type { Pool } from 'pg';
import { migrate, type VersionedSchema, versionedIn } from '../../../postgres/migrate.js';
import { LATE } from './time-bounds.js';

/** Any number that no other lock of the database uses: ids are handed out in the order of commits, of all processes. */
const IN_TURN = 7_310_485_201n;

/**
 * The record of reads. Nothing is derived from it and no hash covers it: whoever owns the database can remove rows, which is
 * what `pruneReads` does. Others can only add to it. `latest` is the latest time of all rows up to one, so that it grows with
 * the id: what was read since a time begins at an id that an index knows, whatever the order in which rows were written.
 */
const accessSchema: VersionedSchema = {
  lock: 7_310_485_200n,
  ...versionedIn('access'),
  steps: [
    `create table access.read (
       id bigint generated always as identity primary key,
       at timestamptz not null,
       latest timestamptz not null,
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
     create index read_by_time on access.read (latest, id);
     create index read_late on access.read (id) where ${LATE};
     -- each statement of it sees what was committed before its turn, as a part of one statement would not
     create function access.add(
       at bigint[], actor text[], operation text[], entity_type text[], entity text[], what text[], form text[],
       request_id text[]
     ) returns void language plpgsql as $$
     declare
       newest timestamptz;
     begin
       perform pg_advisory_xact_lock(${IN_TURN});
       select read.latest into newest from access.read order by id desc limit 1;
       insert into access.read (at, latest, actor, operation, entity_type, entity, what, form, request_id)
       select given.at, greatest(newest, max(given.at) over (order by ordinal)), given.actor, given.operation,
         given.entity_type, given.entity, given.what, given.form, given.request_id
       from (
         select to_timestamp(g.at / 1000.0) as at, g.actor, g.operation, g.entity_type, g.entity, g.what, g.form, g.request_id,
           g.ordinal
         from unnest(add.at, add.actor, add.operation, add.entity_type, add.entity, add.what, add.form, add.request_id)
           with ordinality as g (at, actor, operation, entity_type, entity, what, form, request_id, ordinal)
       ) as given
       order by ordinal;
     end $$;
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
