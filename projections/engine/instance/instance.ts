import type { Pool, PoolClient } from 'pg';
import type { Checkpoint, From, StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import type { Projection } from '../../projection.js';
import { versionOf } from '../../version.js';
import { ProjectionRefused } from './projection-refused.js';
import { type Database, inTransaction, lockSchema } from '../schema.js';
import { createIndexes, createTable, pointView } from '../table.js';

/** `live` answers queries; `building` is on its way to it; `previous` was live before and can be again. */
export type Role = 'live' | 'building' | 'previous';

/** One table of a read model, made by one version of its projection, and how far it has come with the log. */
export type Instance = {
  /** Its table within the schema `read_model`; also the name of its lease. */
  readonly name: string;
  readonly version: string;
  readonly role: Role;
  readonly logIdentity: string;
  readonly checkpoint: From;
  /** The last event that it shows; undefined before the first. */
  readonly last: Pick<StoredEvent, 'stream' | 'revision' | 'id'> | undefined;
};

export const tableOf = ({ name }: Pick<Instance, 'name'>): string => `read_model.${name}`;

export type InstanceRow = {
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

export const toInstance = (row: InstanceRow): Instance => {
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

export const INSTANCE_COLUMNS = `table_name, version, role, log_identity, checkpoint_commit, checkpoint_prepare,
  last_stream, last_revision, last_event_id`;

/** The instance as it now is; undefined when it has been dropped. */
export const readInstance = async (database: Database, name: string): Promise<Instance | undefined> => {
  const text = `select ${INSTANCE_COLUMNS} from read_model.instance where table_name = $1`;
  const { rows } = await database.query<InstanceRow>(text, [name]);
  return rows[0] && toInstance(rows[0]);
};

/** The instance that readers see; undefined before the first. */
export const readLive = async (
  database: Database,
  projection: string,
  lock: '' | 'for update' = '',
): Promise<Instance | undefined> => {
  const text = `select ${INSTANCE_COLUMNS} from read_model.instance where projection = $1 and role = 'live' ${lock}`;
  const { rows } = await database.query<InstanceRow>(text, [projection]);
  return rows[0] && toInstance(rows[0]);
};

type NewInstance = Pick<Instance, 'role' | 'logIdentity'> & {
  /** Built by an operator's command: a service leaves it alone until it is live. */
  readonly isRebuild: boolean;
};

/** Makes an instance of this version of the projection and its empty table, without the indexes that lists need. */
export const createInstance = async <State, Event extends DomainEvent>(
  client: PoolClient,
  projection: Projection<State, Event>,
  { role, logIdentity, isRebuild }: NewInstance,
): Promise<Instance> => {
  const { name, keys } = projection;
  const { rows } = await client.query<InstanceRow>(
    `insert into read_model.instance (table_name, projection, version, role, log_identity, is_rebuild)
     values ($1 || '_' || $2 || '_' || nextval('read_model.instance_number'), $1, $2, $3, $4, $5)
     returning ${INSTANCE_COLUMNS}`,
    [name, versionOf(projection), role, logIdentity, isRebuild],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the new instance was not returned');
  const instance = toInstance(row);
  await client.query(createTable(tableOf(instance), keys));
  return instance;
};

const create = async <State, Event extends DomainEvent>(
  client: PoolClient,
  projection: Projection<State, Event>,
  role: Role,
  logIdentity: string,
): Promise<Instance> => {
  const { name, keys } = projection;
  const instance = await createInstance(client, projection, { role, logIdentity, isRebuild: false });
  for (const statement of createIndexes(tableOf(instance), instance.name, keys)) await client.query(statement);
  if (role === 'live') await client.query(pointView(`read_model.${name}`, tableOf(instance)));
  return instance;
};

/**
 * The instance of this version of the projection, made when there is none: live when it is the first of its
 * projection, else beside the live one. Throws `ProjectionRefused` when the read models belong to another log.
 */
export const register = <State, Event extends DomainEvent>(
  pool: Pool,
  projection: Projection<State, Event>,
  logIdentity: string,
): Promise<Instance> =>
  inTransaction(pool, async (client) => {
    await lockSchema(client);
    const { rows } = await client.query<InstanceRow>(
      `select ${INSTANCE_COLUMNS} from read_model.instance
       where projection = $1 and not (role = 'building' and is_rebuild)
       order by array_position(array['live', 'building', 'previous'], role), created_at desc`,
      [projection.name],
    );
    const version = versionOf(projection);
    const own = rows.find((row) => row.version === version);
    const foreign = [own, rows.find(({ role }) => role === 'live')].find(
      (row) => row !== undefined && row.log_identity !== logIdentity,
    );
    if (foreign !== undefined) throw ProjectionRefused.otherLog(projection.name, foreign.log_identity, logIdentity);
    if (own !== undefined) return toInstance(own);
    const role = rows.some((row) => row.role === 'live') ? 'building' : 'live';
    return create(client, projection, role, logIdentity);
  });
