import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { makeAppend } from './appending/append.js';
import { makeAppendInOrder } from './appending/append-in-order.js';
import { makeConnection } from './connection/connection.js';
import { readConnectionString } from './connection/connection-string.js';
import { makeAdoptIdentity, makeIdentity } from './identity.js';
import { defaultTimings, type EventStoreDb, type EventStoreDbOptions } from './options.js';
import { makeReaches } from './reading/checkpoint.js';
import { makeHead } from './reading/head.js';
import { makeReadAll, makeSubscribe } from './reading/read-log.js';
import { makeNewestRevision, makeReadStream } from './reading/read-stream.js';
import { makeRestoreMark } from './restore-mark.js';
import { makeReadTruncations } from './reading/read-truncations.js';

/**
 * The event log in EventStoreDB 24.10 or KurrentDB 26, a single node or a cluster. Fails only when the connection string is not valid
 * or names a file that cannot be read; the first call connects.
 */
export const openEventStoreDb = (options: EventStoreDbOptions): E.Either<StoreUnavailable, EventStoreDb> => {
  const settings = readConnectionString(options.connectionString);
  if (E.isLeft(settings)) return E.left(new StoreUnavailable(settings.left.message));
  const { runtime, categories, onConnectionEvent = () => undefined } = options;
  const timings = { ...defaultTimings, ...options.timings };
  const connection = makeConnection(runtime, settings.right, timings, onConnectionEvent);
  const access = { runtime, connection, timings, onConnectionEvent };
  const append = makeAppend(access);
  const store: EventStore = {
    append,
    readStream: makeReadStream(access),
    newestRevision: makeNewestRevision(access),
    readAll: makeReadAll(access, categories),
    subscribe: makeSubscribe(access, categories),
    readTruncations: makeReadTruncations(access, categories),
    head: makeHead(access, categories),
    reaches: makeReaches(access),
    identity: makeIdentity(access, append),
  };
  return E.right({
    ...store,
    appendInOrder: makeAppendInOrder(access, append),
    adoptIdentity: makeAdoptIdentity(access, store),
    ...makeRestoreMark(access, append),
    close: () => {
      connection.close();
      return Promise.resolve();
    },
  });
};
