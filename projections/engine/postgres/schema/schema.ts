import type { Pool, PoolClient } from 'pg';
import { migrate, type VersionedSchema, versionedIn } from '../../../../src/postgres/migrate.js';
import type { Database } from '../../../../src/postgres/pool.js';
import { inTransaction, lockUntilCommit } from '../../../../src/postgres/transaction.js';

// Creates only what is missing: earlier programs created these tables without recording a schema version.
// The low fillfactor leaves room on the page, so that the update of a checkpoint with every batch is a HOT update.
const FIRST_STEP = `
create table if not exists read_model.instance (
  table_name text primary key,
  projection text not null,
  version text not null,
  role text not null check (role in ('live', 'building', 'previous')),
  log_identity text not null,
  checkpoint_commit bigint,
  checkpoint_prepare bigint,
  last_stream text,
  last_revision bigint,
  last_event_id text,
  created_at timestamptz not null default now()
) with (fillfactor = 20, autovacuum_vacuum_threshold = 500);

alter table read_model.instance
  add column if not exists is_rebuild boolean not null default false,
  add column if not exists role_since timestamptz not null default now();

create unique index if not exists instance_live on read_model.instance (projection) where role = 'live';

create sequence if not exists read_model.instance_number;

create table if not exists read_model.parked (
  table_name text not null references read_model.instance on delete cascade,
  stream text not null,
  revision bigint not null,
  position bigint not null,
  event_id text not null,
  error text not null,
  code_version text not null,
  waiting bigint not null default 1,
  since timestamptz not null default now(),
  primary key (table_name, stream)
);

create table if not exists read_model.stretch (
  table_name text not null references read_model.instance on delete cascade,
  number integer not null,
  first_stream text,
  end_stream text,
  up_to bigint not null,
  is_loaded boolean not null default false,
  last_position bigint,
  last_stream text,
  last_revision bigint,
  last_event_id text,
  primary key (table_name, number)
);

create table if not exists read_model.lease (
  name text primary key,
  holder text not null,
  fencing bigint not null,
  expires_at timestamptz not null
) with (fillfactor = 20);
`;

// Hashes do not compress. A tile that is not full is written anew with every batch.
const TILES = `
create table read_model.tile (
  table_name text not null references read_model.instance on delete cascade,
  level smallint not null,
  idx bigint not null,
  hashes bytea not null,
  primary key (table_name, level, idx)
);
alter table read_model.tile alter column hashes set storage external;
`;

// of rows that a rebuild makes: how many skipped events were known when it began
const SKIPS = `
alter table read_model.instance add column skips bigint not null default 0;
`;

// A row of a log that has lost events may be deleted. While it stays too high, a process that cannot compare folds records,
// and answers 503 while the log is away.
const ACKNOWLEDGED = `
create table if not exists read_model.acknowledged (
  projection text not null,
  log_identity text not null,
  position bigint not null,
  primary key (projection, log_identity)
) with (fillfactor = 20);
`;

// rows of a ledger that hold what its log has lost
const EVIDENCE = `
alter table read_model.instance add column is_evidence boolean not null default false;
`;

/** Any number that no other lock of the database uses. */
const SCHEMA_LOCK = 7_240_113_006n;

/**
 * The engine's tables beside the rows. Two versions of the program use them at the same time during an upgrade, so a
 * step only adds, and names stay as they were: `instance` is a generation, `stretch` a chunk of a load plan. `tile` has the
 * trees of ledgers (`src/seal/tile.ts`), `acknowledged` the newest position of which a change was acknowledged though
 * the rows lacked it.
 */
const readModelSchema: VersionedSchema = {
  lock: SCHEMA_LOCK,
  ...versionedIn('read_model'),
  steps: [FIRST_STEP, TILES, SKIPS, ACKNOWLEDGED, EVIDENCE],
  allowsNewer: true,
};

/** Migrates the engine's tables to this program's version; several processes may call it at once. */
export const migrateReadModels = (pool: Pool): Promise<void> => migrate(pool, readModelSchema);

/** Runs `work` in a transaction, one at a time over all processes: for creating, switching and dropping generations. */
export const inSchemaTransaction = <A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> =>
  inTransaction(pool, async (client) => {
    await lockUntilCommit(client, SCHEMA_LOCK);
    return work(client);
  });

/**
 * A client that reads a list locks the view. Limits how long a transaction waits for it, because new readers queue behind
 * it.
 */
export const limitLockWaits = async (client: PoolClient): Promise<void> => {
  await client.query(`set local lock_timeout = '300ms'`);
};

/** Whether the engine's tables exist. */
export const hasReadModels = async (database: Database): Promise<boolean> => {
  const text = `select where to_regclass('read_model.instance') is not null`;
  return (await database.query(text)).rowCount === 1;
};
