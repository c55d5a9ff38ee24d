import { fork } from 'node:child_process';
import { once } from 'node:events';

/** What is timed, of a log of so many events: one of the reads of the log, or the writing of the rows. */
export type LimitRun = { readonly what: 'raw' | 'by stream' | '$all' | 'rows'; readonly events: number };

type Limits = {
  /** Seconds. */
  readonly run: (what: LimitRun['what'], events: number) => Promise<number>;
  readonly stop: () => void;
};

/** Starts what bounds a rebuild of the live rows of `businesses`, on their database; the log may be in EventStoreDB. */
export const startLimits = async (connectionString: string, eventStoreDb = ''): Promise<Limits> => {
  const child = fork(new URL('limits-process.ts', import.meta.url), [connectionString, eventStoreDb]);
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`what bounds the rebuild has ended with ${String(code)}`);
  });
  ended.catch(() => undefined); // whoever waits is told
  await Promise.race([once(child, 'message'), ended]);
  return {
    run: async (what, events) => {
      child.send({ what, events } satisfies LimitRun);
      const [seconds] = (await Promise.race([once(child, 'message'), ended])) as [number]; // reason: it sends nothing else
      return seconds;
    },
    stop: () => void child.kill(),
  };
};
