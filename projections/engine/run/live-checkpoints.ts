import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import { listen } from '../../../src/postgres/listen.js';
import type { Database } from '../../../src/postgres/pool.js';
import { CHECKPOINT_CHANNEL } from '../rows/write-batch.js';

/** Positions of the live rows, by read model. */
export const readLiveCheckpoints = async (database: Database): Promise<ReadonlyMap<string, Position>> => {
  const { rows } = await database.query<{ projection: string; checkpoint_commit: string }>({
    name: 'live checkpoints',
    text: `select projection, checkpoint_commit from read_model.instance
           where role = 'live' and checkpoint_commit is not null`,
  });
  return new Map(rows.map((row) => [row.projection, BigInt(row.checkpoint_commit)]));
};

const CONNECT_MS = 2_000;

/**
 * Calls `onCheckpoint` when another process has moved a live checkpoint, until `signal` aborts. Misses what is sent
 * while its connection is lost: whoever waits for a checkpoint must also poll.
 */
export const listenToLiveCheckpoints = (
  connectionString: string,
  onCheckpoint: (projection: string, commit: Position) => void,
  signal: AbortSignal,
): Promise<void> =>
  listen(
    {
      config: { connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true },
      channel: CHECKPOINT_CHANNEL,
      onNotification: (payload) => {
        const [, projection, commit] = /^(\w+) (\d+)$/.exec(payload) ?? [];
        if (projection !== undefined && commit !== undefined) onCheckpoint(projection, BigInt(commit));
      },
      // the projector reports that the database is away
      onLost: () => undefined,
      onFailed: () => undefined,
    },
    signal,
  );
