import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { Runtime } from '../../../src/event-sourcing/runtime.js';
import { listen } from '../../../src/postgres/listen.js';
import type { Database } from '../../../src/postgres/pool.js';
import type { LiveCheckpoint } from '../storage.js';
import { CHECKPOINT_CHANNEL } from './rows/write-batch.js';

type LiveCheckpointRow = {
  readonly projection: string;
  readonly checkpoint_commit: string;
  readonly lease: LiveCheckpoint['lease'];
};

const LIVE_CHECKPOINTS = `
select projection, coalesce(checkpoint_commit, -1) as checkpoint_commit, case
  when expires_at > clock_timestamp() then 'Held'
  when expires_at > '-infinity' then 'Lapsed'
  else 'Free' end as lease
from read_model.instance left join read_model.lease on name = table_name
where role = 'live'`;

export const readLiveCheckpoints = async (database: Database): Promise<ReadonlyArray<LiveCheckpoint>> => {
  const { rows } = await database.query<LiveCheckpointRow>({ name: 'live checkpoints', text: LIVE_CHECKPOINTS });
  return rows.map(({ projection, checkpoint_commit: commit, lease }) => ({
    projection,
    commit: BigInt(commit),
    lease,
  }));
};

const CONNECT_MS = 2_000;

/**
 * Calls `onCheckpoint` when another process has moved a live checkpoint, until `signal` aborts. Misses what is sent
 * while its connection is lost: whoever waits for a checkpoint must also poll.
 */
export const listenToLiveCheckpoints = (
  runtime: Runtime,
  connectionString: string,
  onCheckpoint: (projection: string, commit: Position) => void,
  onLost: () => void,
  signal: AbortSignal,
): Promise<void> =>
  listen(
    {
      runtime,
      config: { connectionString, connectionTimeoutMillis: CONNECT_MS, keepAlive: true },
      channel: CHECKPOINT_CHANNEL,
      onNotification: (payload) => {
        const [, projection, commit] = /^(\w+) (\d+)$/.exec(payload) ?? [];
        if (projection !== undefined && commit !== undefined) onCheckpoint(projection, BigInt(commit));
      },
      // the projector reports that the database is away
      onLost,
      onFailed: () => undefined,
    },
    signal,
  );
