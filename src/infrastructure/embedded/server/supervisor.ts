import { either as E } from 'fp-ts';
import { pause } from '../../../event-sourcing/pause.js';
import type { EmbeddedPostgresError } from '../embedded-postgres-error.js';
import type { Server } from './server-process.js';

type Supervision = {
  /** Starts another server on the port of the first. */
  readonly restart: () => Promise<E.Either<EmbeddedPostgresError, Server>>;
  readonly onLog: (line: string) => void;
};

const firstPause = 100; // ms
const longestPause = 5_000; // ms
const settledAfter = 10_000; // ms of service after which a server is not counted as failing

/** 0, then 100 ms, doubled each time: the first restart is immediate, because most deaths do not repeat themselves. */
const pauseBefore = (failures: number): number =>
  failures === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (failures - 1));

/**
 * Keeps a server running until it is stopped: restarts it whenever it ends without being asked to, and goes on trying
 * (a full disk may be given room). Returns what stops it for good.
 */
export const supervise = (first: Server, { restart, onLog }: Supervision): (() => Promise<void>) => {
  const stopped = new AbortController();
  let current: Server | undefined = first;
  let failures = 0;

  const startAgain = async (): Promise<Server | undefined> => {
    while (await pause(pauseBefore(failures), stopped.signal)) {
      failures += 1;
      const started = await restart();
      if (E.isLeft(started)) onLog(started.left.message);
      else if (stopped.signal.aborted) await started.right.shutDown();
      else return started.right;
    }
    return undefined;
  };

  const watch = async (): Promise<void> => {
    while (current !== undefined) {
      const since = performance.now();
      const how = await current.ended;
      if (stopped.signal.aborted) return;
      if (performance.now() - since > settledAfter) failures = 0;
      onLog(`Postgres ended unexpectedly (${how}); starting it again`);
      current = await startAgain();
    }
  };

  const watching = watch();
  return async () => {
    stopped.abort();
    await current?.shutDown();
    await watching; // a restart that was under way has taken its server down again
  };
};
