import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { makeAppend } from './append.js';
import { makeAppendInOrder } from './append-in-order.js';
import { makeConnection } from './connection.js';
import { makeReaches } from './check-checkpoint.js';
import { readConnectionString } from './connection-string.js';
import { makeHead } from './head.js';
import { makeAdoptIdentity, makeIdentity } from './identity.js';
import type { EventStoreDb, EventStoreDbOptions } from './options.js';
import { makeReadAll, makeSubscribe } from './read-log.js';
import { makeReadStream } from './read-stream.js';
import { defaultTimings } from './timings.js';

const CATEGORIES = ['business', 'document', 'operations'];

/** Joins the parts; the first call that needs it connects. */
export const openEventStoreDb = (options: EventStoreDbOptions): E.Either<StoreUnavailable, EventStoreDb> => {
  const settings = readConnectionString(options.connectionString);
  if (E.isLeft(settings)) return E.left(new StoreUnavailable(settings.left.message));
  const timings = { ...defaultTimings, ...options.timings };
  const onConnectionEvent = options.onConnectionEvent ?? (() => undefined);
  const ours = options.categories ?? CATEGORIES;
  const connection = makeConnection(settings.right, timings, onConnectionEvent);
  const access = { connection, timings, onConnectionEvent };
  const append = makeAppend(access);
  const store: EventStore = {
    append,
    readStream: makeReadStream(access),
    readAll: makeReadAll(access, ours),
    subscribe: makeSubscribe(access, ours),
    head: makeHead(access, ours),
    reaches: makeReaches(access),
    identity: makeIdentity(access, append),
  };
  return E.right({
    ...store,
    appendInOrder: makeAppendInOrder(access, append),
    adoptIdentity: makeAdoptIdentity(access, store),
    close: () => {
      connection.close();
      return Promise.resolve();
    },
  });
};
