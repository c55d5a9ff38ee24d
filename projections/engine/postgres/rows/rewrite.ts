import type { Pool, PoolClient } from 'pg';
import { entityIdOf, type From } from '../../../../src/event-sourcing/recorded-event.js';
import { isUuid } from '../../../../src/event-sourcing/uuid.js';
import { isRejected } from '../../../../src/postgres/sql-failure.js';
import { runOn } from '../../../../src/postgres/statement.js';
import type { Entity } from '../../rows/rows.js';
import type { EntityWriter, ReadModelStorage, RewrittenRow } from '../../storage.js';
import { inSchemaTransaction } from '../schema/schema.js';
import { tableOf } from '../schema/table.js';
import { writeRows } from './write-batch.js';
import { markParked, park } from './write-with-parking.js';

/**
 * Makes this transaction the only one that writes rows: a projector may have made a batch of what it has read before, and
 * that would be outdated. Every writer first updates `read_model.instance`, so locking that table waits for transactions
 * under way. Later ones take their snapshot after the lock and see whether their lease is gone.
 */
const fenceOff = async (client: PoolClient): Promise<void> => {
  await client.query(`set local lock_timeout = '5s'`);
  await client.query('lock table read_model.instance in share row exclusive mode');
};

const UNMOVED = `
select from read_model.instance i join read_model.lease l on l.name = i.table_name
where i.table_name = $1 and i.checkpoint_commit is not distinct from $2::bigint and (i.role = 'live' or not $3::boolean)
  and l.holder = $4 and l.fencing = $5::bigint for update`;

const isUnmoved = async (
  client: PoolClient,
  { generation, lease }: EntityWriter,
  at: From,
  mustBeLive: boolean,
): Promise<boolean> => {
  const commit = at === 'start' ? null : at.commit.toString();
  const { rowCount } = await client.query(UNMOVED, [generation.name, commit, mustBeLive, lease.holder, lease.fencing]);
  return rowCount === 1;
};

const deleteRow = (client: PoolClient, { generation }: EntityWriter, id: string) =>
  client.query(`delete from ${tableOf(generation)} where id = $1`, [id]);

// the upsert keeps a row of a higher revision, and even the revision may be wrong: so the row is deleted first
const replaceRow = async (client: PoolClient, writer: EntityWriter, entity: Entity): Promise<void> => {
  await deleteRow(client, writer, entity.id);
  await writeRows(runOn(client), writer, [entity]);
};

const write = async (
  client: PoolClient,
  writer: EntityWriter,
  { stream, entity, parking }: RewrittenRow,
): Promise<void> => {
  const unpark = 'delete from read_model.parked where table_name = $1 and stream = $2';
  await client.query(unpark, [writer.generation.name, stream]);
  const id = entityIdOf(stream);
  if (entity !== undefined) await replaceRow(client, writer, entity);
  else if (isUuid(id)) {
    await deleteRow(client, writer, id);
    if (parking !== undefined) await markParked(client, writer, { id, creationPosition: parking.event.position });
  }
  if (parking !== undefined) await park(client, writer, parking);
};

/** Writes the row of one entity anew, and what is parked of its stream. */
export const rewrite = async (
  pool: Pool,
  writer: EntityWriter,
  at: From,
  row: RewrittenRow,
): ReturnType<ReadModelStorage['rewrite']> => {
  try {
    return await inSchemaTransaction(pool, async (client) => {
      await fenceOff(client);
      if (!(await isUnmoved(client, writer, at, row.mustBeLive ?? false))) return 'Moved';
      await write(client, writer, row);
      return 'Written';
    });
  } catch (error) {
    if (isRejected(error)) return { rejected: error.message };
    throw error;
  }
};

/** Why the row of an entity could not be stored. It is tried, and undone. */
export const whyRejected = async (pool: Pool, writer: EntityWriter, entity: Entity): Promise<string | undefined> => {
  const client = await pool.connect();
  let isWhole = false;
  try {
    await client.query('begin');
    const rejection = await rejectionOf(() => replaceRow(client, writer, entity));
    await client.query('rollback');
    isWhole = true;
    return rejection;
  } finally {
    client.release(!isWhole);
  }
};

const rejectionOf = async (work: () => Promise<void>): Promise<string | undefined> => {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (isRejected(error)) return error.message;
    throw error;
  }
};
