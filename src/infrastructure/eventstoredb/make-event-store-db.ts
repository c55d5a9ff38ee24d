import type { taskEither as TE } from 'fp-ts';
import type { EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import type { OnIncident } from './incident.js';
import type { Timings } from './timings.js';

export type EventStoreDbOptions = {
  /** `esdb://` or `esdb+discover://`, as the EventStoreDB client takes it. */
  readonly connectionString: string;
  /** Told of everything that is healed or being healed. Must not throw. */
  readonly onIncident?: OnIncident;
  /** The categories that are ours; other streams may live in the same database. */
  readonly categories?: ReadonlyArray<string>;
  readonly timings?: Partial<Timings>;
};

export type EventStoreDb = EventStore & {
  /** Ends every call. Calls that come later fail with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};

/**
 * The event log in EventStoreDB (24.10, a single node or a cluster). Fails only when the connection string is not
 * valid or names a file that cannot be read: a server that is down is connected to by the first call that finds it.
 * Loads gRPC when it is called, not before: a service without EventStoreDB does not pay for it.
 */
export const makeEventStoreDb =
  (options: EventStoreDbOptions): TE.TaskEither<StoreUnavailable, EventStoreDb> =>
  () =>
    import('./event-store.js').then(({ openEventStoreDb }) => openEventStoreDb(options));
