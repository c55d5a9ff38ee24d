/** One of the threads that load rows; `loading-threads.ts` starts it and says what to load. */
import { parentPort, workerData } from 'node:worker_threads';
import { either as E } from 'fp-ts';
import { businesses } from '../../../projections/businesses.js';
import { documents } from '../../../projections/documents.js';
import { makePool } from '../../../projections/engine/pool.js';
import { withSkips } from '../../../projections/engine/parked/skips.js';
import { type LoadingStretch, loadStretch, RowsRefused } from '../../../projections/engine/rebuild/load-stretch.js';
import { Deposed } from '../../../projections/engine/instance/lease.js';
import type { Projection } from '../../../projections/projection.js';
import type { DomainEvent } from '../../event-sourcing/serde.js';
import { makePostgresEventStore } from '../../infrastructure/postgres/event-log/postgres-event-store.js';
import { messageOf } from '../message-of.js';
import { databaseTrouble } from './database-trouble.js';
import type { LoadReply, LoadRequest, ThreadData } from './loading-threads.js';

const CONNECT_MS = 5_000;

const reply = (message: LoadReply): void => parentPort?.postMessage(message);

const failureOf = (error: unknown): LoadReply => {
  const message = databaseTrouble(error) ?? messageOf(E.toError(error));
  if (error instanceof RowsRefused) return { _tag: 'Failed', why: 'refused', message };
  return { _tag: 'Failed', why: error instanceof Deposed ? 'deposed' : 'other', message };
};

/** Opens the log and the rows' database for the life of the thread. */
const open = async <State, Event extends DomainEvent>(
  { databaseUrl, instance, lease }: ThreadData,
  declared: Projection<State, Event>,
): Promise<(request: LoadRequest, loading: LoadingStretch) => Promise<void>> => {
  const opened = await makePostgresEventStore({ connectionString: databaseUrl, readers: 1 });
  if (E.isLeft(opened)) throw opened.left;
  const { byStream } = opened.right;
  if (byStream === undefined) throw new Error('the log cannot be read by stream');
  const pool = makePool(databaseUrl, { name: 'rebuild', connections: 1, connectMs: CONNECT_MS });
  const projection = await withSkips(opened.right, declared);
  const writer = { pool, projection, instance, lease, notifies: false };
  return ({ stretch, upTo }, loading) => loadStretch(writer, byStream, stretch, upTo, loading);
};

// reason: `loading-threads.ts` gives nothing else
const given = workerData as ThreadData;
const load = given.projection === 'businesses' ? open(given, businesses) : open(given, documents);
// its failure is the answer to the first request
load.catch(() => undefined);
const { signal } = new AbortController();

/** So many events are told of at once: pages are small, and a message costs as much as some ten events. */
const TOLD_AT_ONCE = 2_000;
let untold = 0;
const tell = (atLeast: number): void => {
  if (untold < atLeast) return;
  reply({ _tag: 'Events', count: untold });
  untold = 0;
};
const onEvents = (count: number): void => {
  untold += count;
  tell(TOLD_AT_ONCE);
};

parentPort?.on('message', (request: LoadRequest) => {
  load
    .then((run) => run(request, { onEvents, signal }))
    .then(() => {
      tell(1);
      reply({ _tag: 'Loaded' });
    })
    .catch((error: unknown) => reply(failureOf(error)));
});
