import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { Deposed } from '../../../projections/engine/tenure.js';
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

const loaderOn =
  (thread: Worker, instance: string): Loader =>
  (stretch, upTo, { onEvents, signal }) =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        thread.off('message', hear);
        thread.off('error', settle);
        thread.off('exit', exited);
        signal.removeEventListener('abort', aborted);
        if (error === undefined) resolve();
        else reject(error);
      };
      const hear = (reply: LoadReply): void => {
        if (reply._tag === 'Events') onEvents(reply.count);
        if (reply._tag === 'Loaded') settle();
        if (reply._tag === 'Failed') settle(failureOf(reply, instance));
      };
      const exited = (): void => settle(new LoadFailed('a thread that loads rows has ended'));
      // its transaction ends with it
      const aborted = (): void => void thread.terminate();
      thread.on('message', hear);
      thread.on('error', settle);
      thread.on('exit', exited);
      signal.addEventListener('abort', aborted);
      const request: LoadRequest = { stretch, upTo };
      thread.postMessage(request);
    });

/** Threads that load rows from a log in the same Postgres as the rows: folding takes more than one core can give. */
export const loadingThreads =
  (databaseUrl: string, projection: ProjectionName): MakeLoaders =>
  ({ instance, lease }) => {
    const workerData: ThreadData = { databaseUrl, projection, instance, lease };
    const threads = Array.from(
      { length: Math.min(MOST_THREADS, availableParallelism()) },
      () =>
        new Worker(new URL('./loading-thread.js', import.meta.url), {
          workerData,
          resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
        }),
    );
    return {
      loaders: threads.map((thread) => loaderOn(thread, instance.name)),
      close: async () => {
        await Promise.all(
          threads.map(async (thread) => {
            if (thread.threadId === -1) return;
            const ended = once(thread, 'exit');
            await thread.terminate();
            await ended;
          }),
        );
      },
    };
  };
