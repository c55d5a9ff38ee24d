import type { Pool } from 'pg';
import { migrate, type VersionedSchema, versionedIn } from '../../../postgres/migrate.js';

/**
 * The signed checkpoints, apart from the read models: those are made anew from the log, and these cannot be. A checkpoint
 * is found by its origin and size; nothing prevents two of the same size, because to forge one must not keep the true one out.
 */
const sealSchema: VersionedSchema = {
  lock: 7_310_485_197n,
  ...versionedIn('seal'),
  steps: [
    `create table seal.checkpoint (
       number bigint generated always as identity primary key,
       origin text not null,
       size bigint not null,
       note text not null,
       signed_at timestamptz not null default now()
     );
     create index checkpoint_by_size on seal.checkpoint (origin, size);
     create function seal.refuse_change() returns trigger language plpgsql as $$
     begin
       raise exception '% of seal.checkpoint is refused: a checkpoint that was handed out is never changed or removed', tg_op;
     end $$;
     create trigger never_changed before update or delete or truncate on seal.checkpoint
       for each statement execute function seal.refuse_change();`,
    // others fire only where session_replication_role is origin, and a role may be set to something else
    'alter table seal.checkpoint enable always trigger never_changed',
    // which checkpoints were put into which storage of files: what is noted here and is not there was removed
    `create table seal.archived (
       number bigint generated always as identity primary key,
       origin text not null,
       size bigint not null,
       storage text not null,
       archived_at timestamptz not null default now()
     );
     create index archived_by_size on seal.archived (origin, storage, size);
     create function seal.refuse_forgetting() returns trigger language plpgsql as $$
     begin
       raise exception '% of seal.archived is refused: what was put into the file storage is never forgotten', tg_op;
     end $$;
     create trigger never_changed before update or delete or truncate on seal.archived
       for each statement execute function seal.refuse_forgetting();
     alter table seal.archived enable always trigger never_changed;`,
    // checkpoints that witnesses have cosigned: the same notes with more signatures
    `create table seal.cosigned (
       number bigint generated always as identity primary key,
       origin text not null,
       size bigint not null,
       note text not null,
       cosigned_at timestamptz not null default now()
     );
     create index cosigned_by_size on seal.cosigned (origin, size);
     create trigger never_changed before update or delete or truncate on seal.cosigned
       for each statement execute function seal.refuse_change();
     alter table seal.cosigned enable always trigger never_changed`,
  ],
  allowsNewer: true,
};

/** Migrates the table of checkpoints to this program's version; several processes may call it at once. */
export const migrateSeal = (pool: Pool): Promise<void> => migrate(pool, sealSchema);

/** The same, whose success is remembered: what needs the tables asks for it each time. */
export const makeSealMigration = (pool: Pool): (() => Promise<void>) => {
  let isMigrated = false;
  return async () => {
    if (!isMigrated) await migrateSeal(pool);
    isMigrated = true;
  };
};
