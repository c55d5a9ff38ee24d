import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import type { Live, Lived, OneLife } from './one-life.js';

const startWorker = (server: string | undefined): ChildProcess =>
  fork(new URL('worker.ts', import.meta.url), server === undefined ? [] : [server], { stdio: 'inherit' });

const askWorker = (worker: ChildProcess, life: OneLife): Promise<Lived> =>
  new Promise((resolve) => {
    const end = (lived: Lived): void => {
      worker.off('message', end);
      worker.off('exit', onExit);
      resolve(lived);
    };
    const onExit = (code: number | null, signal: string | null): void =>
      end({ broken: [`its process ended by ${String(signal ?? code)}`], counts: {} });
    worker.on('message', end);
    worker.on('exit', onExit);
    // one that is gone exits, too
    worker.send(life, () => undefined);
  });

/** Has lives lived by one process for each core; those that are asked for first come first. `server`: a Postgres, for those over one. */
export const withWorkers = async <A>(work: (live: Live) => Promise<A>, server?: string): Promise<A> => {
  const idle: Array<ChildProcess> = [];
  const waiting: Array<() => void> = [];
  let free = availableParallelism();

  const live: Live = async (life) => {
    if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    else free -= 1;
    const worker = idle.pop() ?? startWorker(server);
    const lived = await askWorker(worker, life);
    if (worker.connected) idle.push(worker);
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
    return lived;
  };

  try {
    return await work(live);
  } finally {
    const exits = idle.map((worker) => once(worker, 'exit'));
    for (const worker of idle) worker.disconnect();
    await Promise.all(exits);
  }
};
