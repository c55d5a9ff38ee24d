import type { either as E } from 'fp-ts';
import type { StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { EventStoreDb, EventStoreDbOptions } from './options.js';

/**
 * The event log in EventStoreDB (24.10, a single node or a cluster). Fails only when the connection string is not
 * valid or names a file that cannot be read; the first call connects. gRPC is loaded here, not by importing this module,
 * so that a service without EventStoreDB never loads it.
 */
export const makeEventStoreDb = (options: EventStoreDbOptions): Promise<E.Either<StoreUnavailable, EventStoreDb>> =>
  import('./event-store.js').then(({ openEventStoreDb }) => openEventStoreDb(options));
