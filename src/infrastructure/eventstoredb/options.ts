import type { LogTarget } from '../../event-sourcing/whole-log/log-target.js';
import type { OnConnectionEvent } from '../../event-sourcing/connection-event.js';
import type { Timings } from './timings.js';

export type EventStoreDbOptions = {
  /** `esdb://` or `esdb+discover://`, as the EventStoreDB client takes it. */
  readonly connectionString: string;
  /** Told of everything that is healed or being healed. Must not throw. */
  readonly onConnectionEvent?: OnConnectionEvent;
  /** The categories that are ours; other streams may live in the same database. */
  readonly categories?: ReadonlyArray<string>;
  readonly timings?: Partial<Timings>;
};

export type EventStoreDb = LogTarget & {
  /** Ends every call. Calls that come later fail with `StoreUnavailable`. */
  readonly close: () => Promise<void>;
};
