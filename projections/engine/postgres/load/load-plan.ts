import type { Pool, PoolClient } from 'pg';
import type { KeyRange } from '../../../../src/event-sourcing/event-store.js';
import {
  type Checkpoint,
  checkpointAt,
  type Position,
  type StoredEvent,
  type StreamName,
} from '../../../../src/event-sourcing/recorded-event.js';
import type { Generation } from '../../generation/generation.js';
import { runOn } from '../../../../src/postgres/statement.js';
import { inTransaction } from '../../../../src/postgres/transaction.js';
import { leaseLost } from '../../engine-failure.js';
import type { EntityWriter, PlannedChunk, Writer } from '../../storage.js';
import { writeStep } from '../rows/write-batch.js';
import { tableOf } from '../schema/table.js';

/** Divides the loading of an empty generation into chunks. Stored, so that a later process can go on with it. */
export type LoadPlan = {
  /** Position up to which each chunk reads its streams. */
  readonly upTo: Position;
  readonly chunks: number;
  readonly missing: ReadonlyArray<PlannedChunk>;
};

type ChunkRow = {
  readonly number: number;
  readonly first_stream: StreamName | null;
  readonly end_stream: StreamName | null;
  readonly up_to: string;
  readonly is_loaded: boolean;
};

/** The plan of a generation; undefined when it has none. */
export const readPlan = async (
  pool: Pool,
  { generation, projection: { category } }: EntityWriter,
): Promise<LoadPlan | undefined> => {
  const { rows } = await pool.query<ChunkRow>(
    `select number, first_stream, end_stream, up_to, is_loaded from read_model.stretch
     where table_name = $1 order by number`,
    [generation.name],
  );
  const [row] = rows;
  const missing = rows
    .filter(({ is_loaded }) => !is_loaded)
    .map(({ number, first_stream: from, end_stream: before }) => ({ category, from, before, number }));
  return row && { upTo: BigInt(row.up_to), chunks: rows.length, missing };
};

/** Stores the plan of a generation that has none. */
export const writePlan = async (
  pool: Pool,
  { name }: Pick<Generation, 'name'>,
  chunks: ReadonlyArray<KeyRange>,
  upTo: Position,
): Promise<void> => {
  await pool.query(
    `insert into read_model.stretch (table_name, number, first_stream, end_stream, up_to)
     select $1, number, first_stream, end_stream, $4::bigint
     from unnest($2::text[], $3::text[]) with ordinality as u (first_stream, end_stream, number)`,
    [name, chunks.map(({ from }) => from), chunks.map(({ before }) => before), upTo.toString()],
  );
};

// locks the lease until the commit, so that whoever takes it over then finds the whole chunk loaded, or nothing of it
const LOADED = `
with held as materialized (
  select from read_model.lease where name = $1 and holder = $2 and fencing = $3::bigint for share
)
update read_model.stretch set is_loaded = true,
  last_position = $5::bigint, last_stream = $6, last_revision = $7::bigint, last_event_id = $8
where table_name = $1 and number = $4 and not is_loaded and exists (select from held)`;

/**
 * Marks a chunk as loaded, at the end of the transaction that wrote its rows; `newest` is its newest event. Throws
 * `LeaseLost`.
 */
export const markLoaded = async (
  client: PoolClient,
  { lease, generation }: Writer,
  { number }: PlannedChunk,
  newest: StoredEvent | undefined,
): Promise<void> => {
  const { rowCount } = await client.query(LOADED, [
    lease.name,
    lease.holder,
    lease.fencing,
    number,
    newest?.position.toString(),
    newest?.stream,
    newest?.revision.toString(),
    newest?.id,
  ]);
  if (rowCount !== 1) throw leaseLost(generation.name);
};

type LastRow = { readonly last_stream: StreamName; readonly last_revision: string; readonly last_event_id: string };

const NEWEST = `select last_stream, last_revision, last_event_id from read_model.stretch
  where table_name = $1 and last_position is not null order by last_position desc limit 1`;

/** Moves the checkpoint when all chunks of the plan are loaded, and deletes the plan. Throws `LeaseLost`. */
export const finishPlan = (pool: Pool, writer: Writer, upTo: Position): Promise<Checkpoint> =>
  inTransaction(pool, async (client) => {
    const { name } = writer.generation;
    const [row] = (await client.query<LastRow>(NEWEST, [name])).rows;
    const last = row && { stream: row.last_stream, revision: BigInt(row.last_revision), id: row.last_event_id };
    const to = checkpointAt(upTo);
    if ((await writeStep(runOn(client), writer, { from: 'start', to, last })) === undefined) throw leaseLost(name);
    await client.query('delete from read_model.stretch where table_name = $1', [name]);
    return to;
  });

const UNMOVED = `
select from read_model.instance i join read_model.lease l on l.name = i.table_name
where i.table_name = $1 and i.checkpoint_commit is null and l.holder = $2 and l.fencing = $3::bigint for update`;

/**
 * Deletes the plan and everything that was loaded by it. Throws `LeaseLost`, and deletes nothing, when another took
 * over.
 */
export const abandonPlan = (pool: Pool, { generation, lease }: Writer): Promise<void> =>
  inTransaction(pool, async (client) => {
    const { rowCount } = await client.query(UNMOVED, [generation.name, lease.holder, lease.fencing]);
    if (rowCount !== 1) throw leaseLost(generation.name);
    await client.query(`truncate ${tableOf(generation)}`);
    await client.query('delete from read_model.parked where table_name = $1', [generation.name]);
    await client.query('delete from read_model.stretch where table_name = $1', [generation.name]);
  });
