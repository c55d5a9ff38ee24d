import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { leaseLost, rowsRejected } from '../../../projections/engine/engine-failure.js';
import type { Loader, MakeLoaders, PlannedChunk } from '../../../projections/engine/storage.js';
import type { Registry } from '../../entities/registry.js';
import type { Position } from '../../event-sourcing/recorded-event.js';

/** With more threads the database is the bottleneck. */
const MOST_THREADS = 4;
/** A thread holds one entity and one page at a time. */
const HEAP_MIB = 96;

/** What a thread is given at its start. */
export type ThreadData = Parameters<MakeLoaders>[0] & {
  readonly databaseUrl: string;
  /** The module of the registry, and the name of the projection in it. */
  readonly registry: string;
  readonly projection: string;
  readonly snapshotKey: string | undefined;
  /** The keys of a log whose data is encrypted, as bytes. */
  readonly keyTree: Uint8Array | undefined;
};

type LoadingThreadsOptions = Pick<ThreadData, 'databaseUrl' | 'projection' | 'snapshotKey' | 'keyTree'> & {
  readonly registry: Registry;
};

export type LoadRequest = { readonly chunk: PlannedChunk; readonly upTo: Position };

export type LoadReply =
  | { readonly _tag: 'Events'; readonly count: number }
  | { readonly _tag: 'Loaded' }
  | { readonly _tag: 'Failed'; readonly why: 'RowsRejected' | 'LeaseLost' | 'Other'; readonly message: string };

/** A thread could not load: a message that a person can act on. */
export class LoadFailed extends Error {
  readonly _tag = 'LoadFailed';
}

const failureOf = ({ why, message }: Extract<LoadReply, { _tag: 'Failed' }>, generation: string): Error => {
  if (why === 'RowsRejected') return rowsRejected(message);
  return why === 'LeaseLost' ? leaseLost(generation) : new LoadFailed(message);
};

type LoadingThread = { readonly load: Loader; readonly close: () => Promise<unknown> };

const startThread = (script: URL, workerData: ThreadData): LoadingThread => {
  const thread = new Worker(script, { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  // listened to from the start: the thread may fail while it is idle, and an unheard error would end the process
  const ended = new Promise<LoadFailed>((resolve) => {
    thread.on('error', ({ message }) => resolve(new LoadFailed(`a thread that loads rows has failed: ${message}`)));
    thread.on('exit', () => resolve(new LoadFailed('a thread that loads rows has ended')));
  });

  const load: Loader = (chunk, upTo, { onEvents, signal }) =>
    new Promise((resolve, reject) => {
      const finish = (error?: Error): void => {
        thread.off('message', onReply);
        signal.removeEventListener('abort', aborted);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onReply = (reply: LoadReply): void => {
        if (reply._tag === 'Events') onEvents(reply.count);
        if (reply._tag === 'Loaded') finish();
        if (reply._tag === 'Failed') finish(failureOf(reply, workerData.generation.name));
      };
      // ending the thread closes its connection, and so rolls its transaction back
      const aborted = (): void => void thread.terminate();
      void ended.then(finish);
      thread.on('message', onReply);
      signal.addEventListener('abort', aborted);
      const request: LoadRequest = { chunk, upTo };
      thread.postMessage(request);
    });

  return { load, close: () => thread.terminate() };
};

/**
 * Threads that load rows, because folding needs more than one core. The log must be in the same Postgres as the rows.
 * Their loaders reject with `RowsRejected`, `LeaseLost` and `LoadFailed`. Tests give another `script`.
 */
export const loadingThreads =
  (
    { registry, ...data }: LoadingThreadsOptions,
    script = new URL('./loading-thread.js', import.meta.url),
  ): MakeLoaders =>
  ({ generation, lease }) => {
    const workerData: ThreadData = { ...data, registry: registry.module, generation, lease };
    const count = Math.min(MOST_THREADS, availableParallelism());
    const threads = Array.from({ length: count }, () => startThread(script, workerData));
    return {
      loaders: threads.map(({ load }) => load),
      close: async () => {
        await Promise.all(threads.map(({ close }) => close()));
      },
    };
  };
