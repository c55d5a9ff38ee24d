import type { either as E } from 'fp-ts';
import type { StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { EventStoreDb, EventStoreDbOptions } from './options.js';

/**
 * The event log in EventStoreDB (24.10, a single node or a cluster). Fails only when the connection string is not
 * valid or names a file that cannot be read: a server that is down is connected to by the first call that finds it.
 * Loads gRPC when it is called, not before: a service without EventStoreDB does not pay for it.
 */
export const makeEventStoreDb = (options: EventStoreDbOptions): Promise<E.Either<StoreUnavailable, EventStoreDb>> =>
  import('./event-store.js').then(({ openEventStoreDb }) => openEventStoreDb(options));
