import type { PoolClient } from 'pg';
import type { Checkpoint, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { Database } from '../../../src/postgres/pool.js';
import { unlessNoTable } from '../../../src/postgres/sql-failure.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import type { Generation, Role } from '../generation/generation.js';
import type { NewGeneration } from '../storage.js';
import { pointView, tableOf } from './schema/table.js';
import { tableStatements } from './schema/table-statements.js';

export type GenerationRow = {
  readonly table_name: string;
  readonly version: string;
  readonly role: Role;
  readonly log_identity: string;
  readonly checkpoint_commit: string | null;
  readonly checkpoint_prepare: string | null;
  readonly last_stream: StoredEvent['stream'] | null;
  readonly last_revision: string | null;
  readonly last_event_id: string | null;
};

export const toGeneration = (row: GenerationRow): Generation => {
  const { checkpoint_commit: commit, checkpoint_prepare: prepare } = row;
  const { last_stream: stream, last_revision: revision, last_event_id: id } = row;
  const checkpoint: Checkpoint | undefined =
    commit === null || prepare === null ? undefined : { commit: BigInt(commit), prepare: BigInt(prepare) };
  const hasLast = stream !== null && revision !== null && id !== null;
  return {
    name: row.table_name,
    version: row.version,
    role: row.role,
    logIdentity: row.log_identity,
    checkpoint: checkpoint ?? 'start',
    last: hasLast ? { stream, revision: BigInt(revision), id } : undefined,
  };
};

/** Those that every schema has, however old. */
export const GENERATION_COLUMNS = `table_name, version, role, log_identity, checkpoint_commit, checkpoint_prepare,
  last_stream, last_revision, last_event_id`;

/** SQL for the order of the generations of one read model. */
export const IN_ORDER = `array_position(array['live', 'building', 'previous'], role), role_since desc`;

/** The generations of a read model, in order; none where the tables do not exist. */
export const readGenerations = (database: Database, projection: string): Promise<ReadonlyArray<Generation>> =>
  unlessNoTable(async () => {
    const text = `select ${GENERATION_COLUMNS} from read_model.instance where projection = $1 order by ${IN_ORDER}`;
    return (await database.query<GenerationRow>(text, [projection])).rows.map(toGeneration);
  }, []);

/** The generation that serves queries; undefined before the first. Rejects where the tables do not exist. */
export const readLive = async (database: Database, projection: string): Promise<Generation | undefined> => {
  const text = `select ${GENERATION_COLUMNS} from read_model.instance where projection = $1 and role = 'live'`;
  const { rows } = await database.query<GenerationRow>(text, [projection]);
  return rows[0] && toGeneration(rows[0]);
};

/** Has the live generation's checkpoint stay where it is until the transaction ends. */
export const lockLive = async (client: PoolClient, projection: string): Promise<void> => {
  await client.query(`select from read_model.instance where projection = $1 and role = 'live' for update`, [
    projection,
  ]);
};

/** Creates a generation of this version of the read model, with an empty table. */
export const createGeneration = async (
  client: PoolClient,
  projection: ReadModel,
  { role, logIdentity, isRebuild, skips }: Omit<NewGeneration, 'holder'>,
): Promise<Generation> => {
  const { name } = projection;
  const { rows } = await client.query<GenerationRow>(
    `insert into read_model.instance (table_name, projection, version, role, log_identity, is_rebuild, skips)
     values ($1 || '_' || $2 || '_' || nextval('read_model.instance_number'), $1, $2, $3, $4, $5, $6)
     returning ${GENERATION_COLUMNS}`,
    [name, versionOf(projection), role, logIdentity, isRebuild, skips],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the new generation was not returned');
  const generation = toGeneration(row);
  const table = tableOf(generation);
  const { create, statistics, indexes } = tableStatements(projection, table, generation.name);
  for (const statement of [create, ...statistics, ...(isRebuild ? [] : indexes)]) await client.query(statement);
  if (role === 'live') await client.query(pointView(`read_model.${name}`, table));
  return generation;
};

/** Drops a generation: its table, its lease, its load plan and its parked entities. */
export const dropGeneration = async (client: PoolClient, generation: Pick<Generation, 'name'>): Promise<void> => {
  await client.query(`drop table if exists ${tableOf(generation)}`);
  await client.query('delete from read_model.instance where table_name = $1', [generation.name]);
  await client.query('delete from read_model.lease where name = $1', [generation.name]);
};

/** Makes a generation the live one, from the commit of the transaction on; the one that was live becomes previous. */
export const makeLive = async (
  client: PoolClient,
  { name }: ReadModel,
  generation: Pick<Generation, 'name'>,
): Promise<void> => {
  await client.query(pointView(`read_model.${name}`, tableOf(generation)));
  const demote = `update read_model.instance set role = 'previous', role_since = now()
    where projection = $1 and role = 'live'`;
  await client.query(demote, [name]);
  const promote = `update read_model.instance set role = 'live', role_since = now() where table_name = $1`;
  await client.query(promote, [generation.name]);
};
