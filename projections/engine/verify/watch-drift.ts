import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { makeBoundedCache } from '../../../src/event-sourcing/bounded-cache.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import type { DomainEvent } from '../../../src/event-sourcing/serde.js';
import { pause } from '../../../src/event-sourcing/pause.js';
import { businesses } from '../../businesses.js';
import { documents } from '../../documents.js';
import type { Projection } from '../../projection.js';
import { readWritableLive } from '../instance/live-instance.js';
import { makePool } from '../pool.js';
import type { Drift } from './find-drift.js';
import { confirmedDrift, nextIds } from './verify-rows.js';

/** Between two entities, ms. */
const PAUSE_MS = 500;
/** And so many times what the last one took: long streams take no more than this share of the process either. */
const REST = 20;
const IDS_AHEAD = 100;
/** Rows that drifted and were told of: twice this, at most. */
const REMEMBERED = 1_000;
const CONNECT_MS = 2_000;
const ANSWER_MS = 15_000;

/** A row that drifted, and the read model it belongs to. */
export type FoundDrift = Drift & { readonly projection: Projection<never, never>['name'] };

type WatchDriftOptions = {
  readonly store: EventStore;
  /** Where the read models are. */
  readonly connectionString: string;
  /** Whether this process writes the rows just now: one process looks, not all. */
  readonly isProjecting: (projection: Projection<never, never>['name']) => boolean;
  /** Once for each row that drifted, and again when other fields of it do. */
  readonly onDrift: (drift: FoundDrift) => void;
  /** Of tests: between two entities, ms. */
  readonly pauseMs?: number;
};

/** Ids of rows round and round, from any place on; nothing when there are none. */
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

const watch = async <State, Event extends DomainEvent>(
  pool: Pool,
  projection: Projection<State, Event>,
  { store, isProjecting, onDrift, pauseMs = PAUSE_MS }: WatchDriftOptions,
  signal: AbortSignal,
): Promise<void> => {
  const next = makeRound();
  const told = makeBoundedCache<string, string>(REMEMBERED);
  const look = async (): Promise<void> => {
    const instance = await readWritableLive(pool, projection);
    const id = await next((after) => nextIds({ database: pool, instance }, after, IDS_AHEAD));
    if (id === undefined) return;
    const drift = await confirmedDrift({ database: pool, store, projection, instance }, projection, id);
    if (drift === undefined) {
      told.delete(id);
      return;
    }
    const fault = [drift.kind, ...drift.fields].join(' ');
    if (told.get(id) === fault) return;
    told.set(id, fault);
    onDrift({ ...drift, projection: projection.name });
  };
  while (!signal.aborted) {
    const began = performance.now();
    try {
      if (isProjecting(projection.name)) await look();
    } catch {
      // log or database are away, or there are no rows yet: those who need them say so
    }
    await pause(Math.max(pauseMs, REST * (performance.now() - began)), signal);
  }
};

/**
 * Compares the live rows with their streams all the time, one after the other and slowly: two entities a second of each
 * read model, round and round. Stops when asked to, and closes its connection.
 */
export const watchDrift = (options: WatchDriftOptions): { readonly stop: () => Promise<void> } => {
  const pool = makePool(options.connectionString, {
    name: 'verification',
    connections: 1,
    connectMs: CONNECT_MS,
    answerMs: ANSWER_MS,
  });
  const stopping = new AbortController();
  const watching = Promise.all([
    watch(pool, businesses, options, stopping.signal),
    watch(pool, documents, options, stopping.signal),
  ]);
  return {
    stop: async () => {
      stopping.abort();
      await watching;
      await pool.end();
    },
  };
};
