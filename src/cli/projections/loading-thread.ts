/** One of the threads that load rows; `loading-threads.ts` starts it and says what to load. */
import { parentPort, workerData } from 'node:worker_threads';
import { either as E } from 'fp-ts';
import { orThrow } from '../../event-sourcing/attempt.js';
import { failureIn } from '../../../projections/engine/engine-failure.js';
import { withSkips } from '../../../projections/engine/parked/skips.js';
import { loadChunk } from '../../../projections/engine/postgres/load/load-chunk.js';
import type { LoadingChunk } from '../../../projections/engine/storage.js';
import { encryptionRulesOf, projectionsOf, type Registry, signingRows } from '../../entities/registry.js';
import { encryptedStore } from '../../event-sourcing/encryption/encrypted-store.js';
import { KeyTree } from '../../event-sourcing/encryption/key-tree.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { makePostgresEventStore } from '../../infrastructure/postgres/event-log/postgres-event-store.js';
import { makeCommandPool } from '../command-pool.js';
import { messageOf } from '../message-of.js';
import { databaseTrouble } from '../database-trouble.js';
import type { LoadReply, LoadRequest, ThreadData } from './loading-threads.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';

const reply = (message: LoadReply): void => parentPort?.postMessage(message);

const failureOf = (error: unknown): LoadReply => {
  const message = databaseTrouble(error) ?? messageOf(E.toError(error));
  const failure = failureIn(error, 'RowsRejected', 'LeaseLost');
  return { _tag: 'Failed', why: failure?._tag ?? 'Other', message };
};

const opened = (store: EventStore, registry: Registry, bytes: ThreadData['keyTree']): EventStore => {
  if (bytes === undefined) return store;
  const tree = KeyTree.fromBytes(Buffer.from(bytes));
  if (tree === undefined) throw new Error('the keys that a thread was given are none');
  const { random } = systemRuntime;
  return encryptedStore(store, { rules: encryptionRulesOf(registry), keys: () => tree, random });
};

/** Opens the log and the database of the rows, for as long as the thread lives. */
const open = async ({
  databaseUrl,
  registry: module,
  projection: name,
  snapshotKey,
  generation,
  lease,
  keyTree,
}: ThreadData): Promise<(request: LoadRequest, loading: LoadingChunk) => Promise<void>> => {
  // reason: `Registry.module` says so
  const { registry } = (await import(module)) as { readonly registry: Registry };
  const declared = projectionsOf(signingRows(registry, snapshotKey)).find((projection) => projection.name === name);
  if (declared === undefined) throw new Error(`no projection is called ${name}`);
  const stored = orThrow(
    await makePostgresEventStore({ runtime: systemRuntime, connectionString: databaseUrl, readers: 1 }),
  );
  const store = opened(stored, registry, keyTree);
  const { byStream } = store;
  if (byStream === undefined) throw new Error('the log cannot be read by key ranges');
  const pool = makeCommandPool(databaseUrl, 'rebuild', 1);
  const projection = await withSkips(store, declared);
  const writer = { projection, generation, lease, notifies: false };
  return ({ chunk, upTo }, loading) => loadChunk(pool, writer, byStream, chunk, upTo, loading);
};

// reason: `loading-threads.ts` gives nothing else
const load = open(workerData as ThreadData);
// reported as the reply to the first request
load.catch(() => undefined);
const { signal } = new AbortController();

/** Events of one report: a message costs as much as folding some ten events. */
const REPORTED_AT_ONCE = 2_000;
let unreported = 0;
const report = (atLeast: number): void => {
  if (unreported < atLeast) return;
  reply({ _tag: 'Events', count: unreported });
  unreported = 0;
};
const onEvents = (count: number): void => {
  unreported += count;
  report(REPORTED_AT_ONCE);
};

parentPort?.on('message', (request: LoadRequest) => {
  load
    .then((run) => run(request, { onEvents, signal }))
    .then(() => {
      report(1);
      reply({ _tag: 'Loaded' });
    })
    .catch((error: unknown) => reply(failureOf(error)));
});
