import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Database } from '../schema.js';

/** How far the live rows of each read model have come, whoever writes them. */
export const readLiveCheckpoints = async (database: Database): Promise<ReadonlyMap<string, Position>> => {
  const { rows } = await database.query<{ projection: string; checkpoint_commit: string }>({
    name: 'live checkpoints',
    text: `select projection, checkpoint_commit from read_model.instance
           where role = 'live' and checkpoint_commit is not null`,
  });
  return new Map(rows.map((row) => [row.projection, BigInt(row.checkpoint_commit)]));
};
