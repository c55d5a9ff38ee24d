import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Deposed } from '../../../projections/engine/instance/lease.js';
import type { Loader, MakeLoaders } from '../../../projections/engine/rebuild/load-by-stream.js';
import { RowsRefused } from '../../../projections/engine/rebuild/load-stretch.js';
import type { PlannedStretch } from '../../../projections/engine/rebuild/stretches.js';
import type { Position } from '../../event-sourcing/recorded-event.js';
import type { ProjectionName } from './projection-argument.js';

/** More of them wait for the database. */
const MOST_THREADS = 4;
/** A thread holds one entity and one page at a time. */
const HEAP_MIB = 96;

/** What a thread is given at its start. */
export type ThreadData = Parameters<MakeLoaders>[0] & {
  readonly databaseUrl: string;
  readonly projection: ProjectionName;
};

export type LoadRequest = { readonly stretch: PlannedStretch; readonly upTo: Position };

export type LoadReply =
  | { readonly _tag: 'Events'; readonly count: number }
  | { readonly _tag: 'Loaded' }
  | { readonly _tag: 'Failed'; readonly why: 'refused' | 'deposed' | 'other'; readonly message: string };

/** A thread could not load: a message that a person can act on. */
export class LoadFailed extends Error {
  readonly _tag = 'LoadFailed';
}

const failureOf = ({ why, message }: Extract<LoadReply, { _tag: 'Failed' }>, instance: string): Error => {
  if (why === 'refused') return new RowsRefused(message);
  return why === 'deposed' ? new Deposed(instance) : new LoadFailed(message);
};

type LoadingThread = { readonly load: Loader; readonly close: () => Promise<unknown> };

const startThread = (script: URL, workerData: ThreadData): LoadingThread => {
  const thread = new Worker(script, { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB } });
  // heard from its start on: it may end while nothing is asked of it, and an error that nobody hears ends the process
  const ended = new Promise<LoadFailed>((resolve) => {
    thread.on('error', ({ message }) => resolve(new LoadFailed(`a thread that loads rows has failed: ${message}`)));
    thread.on('exit', () => resolve(new LoadFailed('a thread that loads rows has ended')));
  });

  const load: Loader = (stretch, upTo, { onEvents, signal }) =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        thread.off('message', hear);
        signal.removeEventListener('abort', aborted);
        if (error === undefined) resolve();
        else reject(error);
      };
      const hear = (reply: LoadReply): void => {
        if (reply._tag === 'Events') onEvents(reply.count);
        if (reply._tag === 'Loaded') settle();
        if (reply._tag === 'Failed') settle(failureOf(reply, workerData.instance.name));
      };
      // its transaction ends with it
      const aborted = (): void => void thread.terminate();
      void ended.then(settle);
      thread.on('message', hear);
      signal.addEventListener('abort', aborted);
      const request: LoadRequest = { stretch, upTo };
      thread.postMessage(request);
    });

  return { load, close: () => thread.terminate() };
};

/**
 * Threads that load rows from a log in the same Postgres as the rows: folding takes more than one core can give. Their
 * loaders reject with `RowsRefused`, `Deposed` and `LoadFailed`; `script` is another one in tests.
 */
export const loadingThreads =
  (
    databaseUrl: string,
    projection: ProjectionName,
    script = new URL('./loading-thread.js', import.meta.url),
  ): MakeLoaders =>
  ({ instance, lease }) => {
    const workerData: ThreadData = { databaseUrl, projection, instance, lease };
    const count = Math.min(MOST_THREADS, availableParallelism());
    const threads = Array.from({ length: count }, () => startThread(script, workerData));
    return {
      loaders: threads.map(({ load }) => load),
      close: async () => {
        await Promise.all(threads.map(({ close }) => close()));
      },
    };
  };
