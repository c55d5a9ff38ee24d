import type { PoolClient } from 'pg';
import type { Instance } from '../instance/instance.js';
import type { Database } from '../schema.js';
import { dropInstance } from '../instance/roles.js';
import { RebuildRefused } from './rebuild-refused.js';

const WRITERS = `select l.holder from read_model.instance i join read_model.lease l on l.name = i.table_name
  where i.projection = $1 and i.role <> 'building' and l.expires_at > clock_timestamp()`;

/** Throws `RebuildRefused` while a process writes rows that are of another log: it has not noticed yet. */
export const refuseWriters = async (database: Database, projection: string): Promise<void> => {
  const [writer] = (await database.query<{ holder: string }>(WRITERS, [projection])).rows;
  if (writer !== undefined)
    throw new RebuildRefused(
      `${writer.holder} writes the rows of "${projection}", which are not of this log: stop or restart that process`,
    );
};

/** Drops every other instance of the projection, with the view of the live one. Throws as `refuseWriters`. */
export const dropOthers = async (
  client: PoolClient,
  projection: string,
  { name }: Pick<Instance, 'name'>,
): Promise<void> => {
  await refuseWriters(client, projection);
  await client.query(`drop view if exists read_model.${projection}`);
  const text = 'select table_name as name from read_model.instance where projection = $1 and table_name <> $2';
  const { rows } = await client.query<{ name: string }>(text, [projection, name]);
  for (const other of rows) await dropInstance(client, other);
};
