import type { PoolClient } from 'pg';
import type { Checkpoint, From, Position, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { Database } from '../../../src/postgres/pool.js';
import type { ReadModel } from '../../read-model.js';
import { versionOf } from '../../version.js';
import { pointView } from './table.js';
import { tableStatements } from './table-statements.js';

/** `live` serves queries; `building` is to become live; `previous` was live and can be switched back to. */
export type Role = 'live' | 'building' | 'previous';

/** One table of a read model, made by one version of its projection, and its checkpoint. */
export type Generation = {
  /** Name of its table in the schema `read_model`, and of its lease. */
  readonly name: string;
  readonly version: string;
  readonly role: Role;
  readonly logIdentity: string;
  readonly checkpoint: From;
  /** The newest event that was applied; undefined before the first. */
  readonly last: Pick<StoredEvent, 'stream' | 'revision' | 'id'> | undefined;
};

export const tableOf = ({ name }: Pick<Generation, 'name'>): string => `read_model.${name}`;

/** The position of a checkpoint; -1 before the first. */
export const commitOf = (checkpoint: From): Position => (checkpoint === 'start' ? -1n : checkpoint.commit);

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

export const GENERATION_COLUMNS = `table_name, version, role, log_identity, checkpoint_commit, checkpoint_prepare,
  last_stream, last_revision, last_event_id`;

const readOne = async (
  database: Database,
  condition: string,
  values: Array<string>,
): Promise<Generation | undefined> => {
  const text = `select ${GENERATION_COLUMNS} from read_model.instance where ${condition}`;
  const { rows } = await database.query<GenerationRow>(text, values);
  return rows[0] && toGeneration(rows[0]);
};

/** The generation as it is now; undefined when it was dropped. */
export const readGeneration = (database: Database, name: string): Promise<Generation | undefined> =>
  readOne(database, 'table_name = $1', [name]);

/** The generation that serves queries; undefined before the first. */
export const readLive = (
  database: Database,
  projection: string,
  lock: '' | 'for update' = '',
): Promise<Generation | undefined> => readOne(database, `projection = $1 and role = 'live' ${lock}`, [projection]);

const PREVIOUS = `projection = $1 and version = $2 and role = 'previous' and exists (
  select from read_model.instance as live
  where live.projection = $1 and live.version = $2 and live.role = 'live'
) order by role_since desc limit 1`;

/**
 * The generation that a rollback switches to: of this version, the one that was replaced last. Undefined when there is
 * none, and while the live rows are of another version: then a service of this version goes on with it (`openForService`),
 * and nobody else may take its lease.
 */
export const readPrevious = (database: Database, projection: ReadModel): Promise<Generation | undefined> =>
  readOne(database, PREVIOUS, [projection.name, versionOf(projection)]);

type NewGeneration = Pick<Generation, 'role' | 'logIdentity'> & {
  /**
   * Built by `ops projections rebuild`: a service does not write it before it is live, and it gets its indexes last.
   */
  readonly isRebuild: boolean;
  /** How many skipped events it is built without. Default: none. */
  readonly skips?: number;
};

/** Creates a generation of this version of the read model, with an empty table. */
export const createGeneration = async (
  client: PoolClient,
  projection: ReadModel,
  { role, logIdentity, isRebuild, skips = 0 }: NewGeneration,
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
