import { DatabaseError, type PoolClient } from 'pg';
import { pointView } from '../table.js';
import { type Instance, tableOf } from './instance.js';

/** A reader of a whole list holds the view; the switch waits for none so long that others queue behind it. */
export const LOCK_TIMEOUT = '300ms';
const LOCK_NOT_AVAILABLE = '55P03';

/** Whether somebody else was in the way for longer than `LOCK_TIMEOUT`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE;

/** Has readers see an instance from the end of the transaction on; what was live before becomes previous. */
export const makeLive = async (
  client: PoolClient,
  projection: string,
  instance: Pick<Instance, 'name'>,
): Promise<void> => {
  await client.query(pointView(`read_model.${projection}`, tableOf(instance)));
  const demote = `update read_model.instance set role = 'previous', role_since = now()
    where projection = $1 and role = 'live'`;
  await client.query(demote, [projection]);
  const promote = `update read_model.instance set role = 'live', role_since = now() where table_name = $1`;
  await client.query(promote, [instance.name]);
};

/** Drops an instance with its table, its rows, its lease and what is parked of it. */
export const dropInstance = async (client: PoolClient, instance: Pick<Instance, 'name'>): Promise<void> => {
  await client.query(`drop table if exists ${tableOf(instance)}`);
  await client.query('delete from read_model.instance where table_name = $1', [instance.name]);
  await client.query('delete from read_model.lease where name = $1', [instance.name]);
};
