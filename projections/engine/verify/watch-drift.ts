import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { makeBoundedCache } from '../../../src/event-sourcing/bounded-cache.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import { makePool } from '../../../src/postgres/pool.js';
import type { Projection } from '../../projection.js';
import type { OnEngineEvent } from '../engine-event.js';
import { readWritableLive } from '../generation/writable-live.js';
import { makeTaskRunner } from '../run-task.js';
import type { Drift } from './find-drift.js';
import { confirmedDrift, nextIds } from './verify-rows.js';

/** Pause between two entities, ms. */
const PAUSE_MS = 500;
/**
 * The pause is at least so many times as long as the last comparison, so that long streams do not take more of the
 * process.
 */
const REST = 20;
const IDS_AHEAD = 100;
/** Reported rows that are remembered: at most twice this. */
const REMEMBERED = 1_000;
const CONNECT_MS = 2_000;
const QUERY_MS = 15_000;

/** A row that drifted, and the read model it belongs to. */
export type FoundDrift = Drift & { readonly projection: string };

type WatchDriftOptions = {
  readonly store: EventStore;
  readonly projections: ReadonlyArray<Projection>;
  /** Where the read models are. */
  readonly connectionString: string;
  /** Whether this process writes the rows now: only one process compares. */
  readonly isProjecting: (projection: string) => boolean;
  /** Called once for each row that drifted, and again when other fields of it differ. */
  readonly onDrift: (drift: FoundDrift) => void;
  readonly onEvent: OnEngineEvent;
  /** For tests: pause between two entities, ms. */
  readonly pauseMs?: number;
};

/** Gives the ids of all rows again and again, beginning at a random one; undefined at the end of each round. */
const makeRound = (): ((
  read: (after: string | undefined) => Promise<ReadonlyArray<string>>,
) => Promise<string | undefined>) => {
  let after: string | undefined = randomUUID();
  let ahead: Array<string> = [];
  return async (read) => {
    if (ahead.length === 0) ahead = [...(await read(after))];
    after = ahead.shift();
    return after;
  };
};

const watch = async (
  pool: Pool,
  projection: Projection,
  { store, isProjecting, onDrift, onEvent, pauseMs = PAUSE_MS }: WatchDriftOptions,
  signal: AbortSignal,
): Promise<void> => {
  const next = makeRound();
  const reported = makeBoundedCache<string, string>(REMEMBERED);
  const runTask = makeTaskRunner({ projection: projection.name, name: 'comparing rows with their streams', onEvent });
  const compare = async (): Promise<void> => {
    const generation = await readWritableLive(pool, projection);
    const id = await next((after) => nextIds({ database: pool, generation }, after, IDS_AHEAD));
    if (id === undefined) return;
    const drift = await confirmedDrift({ database: pool, store, projection, generation }, projection, id);
    if (drift === undefined) {
      reported.delete(id);
      return;
    }
    const revisions = drift.kind === 'ahead' ? [drift.shown, drift.newest] : [];
    const fault = [drift.kind, ...drift.fields, ...revisions].join(' ');
    if (reported.get(id) === fault) return;
    reported.set(id, fault);
    onDrift({ ...drift, projection: projection.name });
  };
  while (!signal.aborted) {
    const began = performance.now();
    if (isProjecting(projection.name)) await runTask(compare);
    await pause(Math.max(pauseMs, REST * (performance.now() - began)), signal);
  }
};

/**
 * Compares the live rows with their streams all the time, slowly: at most two entities a second of each read model.
 * `stop` resolves when its connection is closed.
 */
export const watchDrift = (options: WatchDriftOptions): { readonly stop: () => Promise<void> } => {
  const { connectionString, projections } = options;
  const pool = makePool({
    connectionString,
    name: 'verification',
    connections: 1,
    connectMs: CONNECT_MS,
    queryMs: QUERY_MS,
  });
  const stopping = new AbortController();
  const watching = Promise.all(projections.map((projection) => watch(pool, projection, options, stopping.signal)));
  return {
    stop: async () => {
      stopping.abort();
      await watching;
      await pool.end();
    },
  };
};
