import type { Pool } from 'pg';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { isUndefinedTable } from '../../../src/postgres/sql-failure.js';
import { run, withConnection } from '../../../src/postgres/statement.js';
import { migrateReadModels } from './schema/schema.js';

const WRITE_MS = 2_000;

// under the name of the log that the rows are of: this process appends only to that one
const NOTE = `
insert into read_model.acknowledged as noted (projection, log_identity, position)
select projection, log_identity, $2::bigint from read_model.instance where projection = $1 and role = 'live'
on conflict (projection, log_identity) do update set position = excluded.position
where noted.position < excluded.position`;

/** Notes beside the live rows that a change at this position is acknowledged though they lack it. */
export const noteAcknowledged = async (pool: Pool, projection: string, position: Position): Promise<void> => {
  const write = (): Promise<unknown> =>
    withConnection(pool, (client) =>
      run(client, { name: 'note acknowledged', text: NOTE, values: [projection, String(position)] }, WRITE_MS),
    );
  try {
    await write();
  } catch (error) {
    // no projector of this version has run on this database yet
    if (!isUndefinedTable(error)) throw error;
    await migrateReadModels(pool);
    await write();
  }
};
