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
    // for each statement, not for each row: an append, which only inserts, does not even ask for it
    `create function event_log.refuse_change() returns trigger language plpgsql as $$
     begin
       raise exception '% of event_log.event is refused: what is in the log is never changed or removed', tg_op
         using hint = 'To go back to a backup, restore it into an empty database (ops restore). Only the owner of the '
           'table can lift this, with "alter table event_log.event disable trigger never_changed".';
     end $$;
     create trigger never_changed before update or delete or truncate on event_log.event
       for each statement execute function event_log.refuse_change();`,
    // the conditions are part of the triggers, so that an append calls no function: one batch takes far fewer positions
    `create function event_log.refuse_head() returns trigger language plpgsql as $$
     begin
       raise exception '% of event_log.head is refused: it only grows, and by a batch at a time', tg_op
         using hint = 'Whoever may lower it, or raise it to its limit, could stop the log. Only the owner of the table can '
           'lift this, with "alter table event_log.head disable trigger user".';
     end $$;
     create trigger only_grows before update on event_log.head for each row
       when (new.position is null or new.position < old.position or new.position > old.position + 1000000)
       execute function event_log.refuse_head();
     create trigger never_removed before delete or truncate on event_log.head
       for each statement execute function event_log.refuse_head();`,
    // once for each statement; nothing is found by the search path, which is the caller's
    `create function event_log.refuse_beyond_head() returns trigger language plpgsql as $$
     begin
       if (select pg_catalog.max(position) from added) operator(pg_catalog.>) (select position from event_log.head) then
         raise exception 'INSERT into event_log.event is refused: its position is beyond event_log.head'
           using hint = 'An event takes its position by raising event_log.head first. One beyond it would stop the log, '
             'because the next append cannot have that position.';
       end if;
       return null;
     end $$;
     create trigger never_beyond_head after insert on event_log.event referencing new table as added
       for each statement execute function event_log.refuse_beyond_head();`,
    // others fire only where session_replication_role is origin, and a role may be set to something else
    `alter table event_log.event enable always trigger never_changed, enable always trigger never_beyond_head;
     alter table event_log.head enable always trigger only_grows, enable always trigger never_removed;`,
    // not of the rows that are there: where one is amiss, the verification names it, and the log goes on
    `alter table event_log.event add constraint behind_the_beginning check (position > 0) not valid;`,
  ],
  allowsNewer: false,
};
