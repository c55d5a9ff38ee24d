import type { Pool, PoolClient } from 'pg';

/** What runs SQL: a pool, or one of its connections inside a transaction. */
export type Database = Pick<Pool, 'query'>;

// Checkpoints move with every batch: room on the page keeps those updates in place (HOT).
const SCHEMA = `
create schema if not exists read_model;

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

/** Any number that no other lock of this schema uses. */
const SCHEMA_LOCK = 7_240_113_006n;

/** Runs `work` in one transaction; its error, or a failed commit, leaves nothing behind. */
export const inTransaction = async <A>(pool: Pool, work: (client: PoolClient) => Promise<A>): Promise<A> => {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // a connection whose transaction failed is closed, which ends the transaction in any state
    client.release(failure);
  }
};

/** One at a time over all processes, until the transaction ends. */
export const lockSchema = async (client: PoolClient): Promise<void> => {
  await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK.toString()]);
};

/** Whether there are read models at all. */
export const isInstalled = async (database: Database): Promise<boolean> => {
  const text = `select where to_regclass('read_model.instance') is not null`;
  return (await database.query(text)).rowCount === 1;
};

/** Creates what is missing of the schema; any number of processes may do so at once. */
export const migrate = (pool: Pool): Promise<void> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    await client.query(SCHEMA);
  });
