import { either as E } from 'fp-ts';
import type { EventStore } from '../event-sourcing/event-store.js';
import type { Storage } from '../infrastructure/open-storage.js';
import type { ReadModelQueries } from '../infrastructure/postgres/read-models/make-read-model-queries.js';
import { makeReadiness } from '../infrastructure/readiness.js';
import { withTimeout } from '../event-sourcing/with-timeout.js';
import type { UnwrittenRows } from './unwritten-rows.js';
import type { FindWrongLog } from './while-same-log.js';
import type { Clock } from '../event-sourcing/clock.js';

/** Shorter than a check may take, ms: that a database is silent is what `readModels` says. */
const PING_MS = 900;

/** Whether the database has not said that it only reads: a standby, or one that is set to read only. */
const mayTakeWrites = async (clock: Clock, { ping }: Pick<ReadModelQueries, 'ping'>): Promise<boolean> => {
  const answer = await withTimeout(clock, PING_MS, ping());
  return answer === undefined || E.isLeft(answer) || answer.right === 'Writes';
};

type Parts = {
  readonly store: Pick<EventStore, 'head'>;
  readonly storage: Pick<Storage, 'isThere'>;
  readonly queries: Pick<ReadModelQueries, 'ping'>;
  readonly unwritten: Pick<UnwrittenRows, 'areComplete'>;
  readonly findWrongLog: FindWrongLog;
};

/** What `/readyz` checks of a service that has started. After `stop`, it is not ready any more. */
export const makeServiceReadiness = (
  clock: Clock,
  { store, storage, queries, unwritten, findWrongLog }: Parts,
  options: Parameters<typeof makeReadiness>[2],
) => {
  let isStopping = false;
  const readiness = makeReadiness(
    clock,
    {
      serving: { what: 'shutting down', passes: () => Promise.resolve(!isStopping) },
      log: { what: 'event log', passes: async () => E.isRight(await store.head()) },
      readModels: { what: 'read models', passes: async () => E.isRight(await queries.ping()) },
      writable: { what: 'a database that takes writes', passes: () => mayTakeWrites(clock, queries) },
      readModelsOfThisLog: {
        what: 'read models of this log',
        passes: () => Promise.resolve(findWrongLog() === undefined),
      },
      rowsWritten: { what: 'a process that writes the rows', passes: unwritten.areComplete },
      files: { what: 'file storage', passes: storage.isThere },
    },
    options,
  );
  const stop = (): void => {
    isStopping = true;
  };
  return { readiness, stop };
};
