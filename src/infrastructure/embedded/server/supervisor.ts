import { either as E } from 'fp-ts';
import { makeRetry } from '../../../event-sourcing/retry.js';
import type { EmbeddedPostgresError } from '../embedded-postgres-error.js';
import type { Server } from './server-process.js';
import type { Runtime } from '../../../event-sourcing/runtime.js';

type Supervision = {
  readonly runtime: Runtime;
  /** Starts another server on the port of the first. */
  readonly restart: () => Promise<E.Either<EmbeddedPostgresError, Server>>;
  readonly onLog: (line: string) => void;
};

/** Pauses between restarts, ms. There is no last attempt: a full disk may be given room. */
const backoff = { first: 200, longest: 10_000 };

/** After running for so long a server counts as healthy: the next restart is immediate again. */
const healthyAfterMs = 10_000;

/**
 * Keeps a server running: restarts it whenever it ends by itself. The first restart is immediate, because most crashes
 * do not repeat; further ones back off until a server has stayed healthy. Returns what stops server and supervision.
 */
export const supervise = (first: Server, { runtime, restart, onLog }: Supervision): (() => Promise<void>) => {
  const { clock } = runtime;
  const stopped = new AbortController();
  const retry = makeRetry({ runtime, ...backoff, signal: stopped.signal });
  let current: Server | undefined = first;

  const startAgain = async (isImmediate: boolean): Promise<Server | undefined> => {
    for (let mayTry = isImmediate || (await retry.again()); mayTry; mayTry = await retry.again()) {
      const started = await restart();
      if (E.isLeft(started)) onLog(started.left.message);
      else if (stopped.signal.aborted) await started.right.shutDown();
      else return started.right;
    }
    return undefined;
  };

  const watch = async (): Promise<void> => {
    for (let isFirst = true; current !== undefined; isFirst = false) {
      const startedAt = clock.monotonic();
      const reason = await current.ended;
      if (stopped.signal.aborted) return;
      const wasHealthy = clock.monotonic() - startedAt > healthyAfterMs;
      if (wasHealthy) retry.reset();
      onLog(`Postgres ended unexpectedly (${reason}); starting it again`);
      current = await startAgain(isFirst || wasHealthy);
    }
  };

  const watching = watch();
  return async () => {
    stopped.abort();
    await current?.shutDown();
    await watching; // a restart under way shuts its new server down again
  };
};
