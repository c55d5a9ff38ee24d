import type { Pool } from 'pg';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { isUndefinedTable } from '../../../src/postgres/sql-failure.js';
import { run, withConnection } from '../../../src/postgres/statement.js';
import { migrateReadModels } from '../generation/schema.js';

const WRITE_MS = 2_000;

// under the name of the log that the rows are of: this process appends only to that one
const NOTE = `
insert into read_model.acknowledged as noted (projection, log_identity, position)
select projection, log_identity, $2::bigint from read_model.instance where projection = $1 and role = 'live'
on conflict (projection, log_identity) do update set position = excluded.position
where noted.position < excluded.position`;

/**
 * Notes beside the rows of a read model that a change at this position is acknowledged though they lack it. Resolves when
 * that is durable; rejects when it cannot be, within seconds.
 */
export type NoteAcknowledged = (position: Position) => Promise<void>;

type Next = { position: Position; readonly done: Promise<void> };

/** One note is written at a time; what comes meanwhile is written together, as the newest position of it. */
export const makeNoteAcknowledged = (pool: Pool, projection: string): NoteAcknowledged => {
  const write = (position: Position): Promise<unknown> =>
    withConnection(pool, (client) =>
      run(client, { name: 'note acknowledged', text: NOTE, values: [projection, String(position)] }, WRITE_MS),
    );
  const writeOrMigrate = async (position: Position): Promise<void> => {
    try {
      await write(position);
    } catch (error) {
      // no projector of this version has run on this database yet
      if (!isUndefinedTable(error)) throw error;
      await migrateReadModels(pool);
      await write(position);
    }
  };

  let before: Promise<unknown> = Promise.resolve();
  let next: Next | undefined;
  const begin = (position: Position): Next => {
    const done = before.then(() => {
      const newest = next?.position ?? position;
      next = undefined;
      return writeOrMigrate(newest);
    });
    before = done.catch(() => undefined);
    return { position, done };
  };

  return (position) => {
    if (next === undefined) next = begin(position);
    else if (position > next.position) next.position = position;
    return next.done;
  };
};
