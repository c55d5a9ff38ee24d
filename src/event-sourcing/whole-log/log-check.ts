import type { StoredEvent } from '../recorded-event.js';

/** Something that is compared with a log while all of its events pass by. Rejects with errors of log and database. */
export type LogCheck = {
  /** The next events of the log, in its order. */
  readonly take: (events: ReadonlyArray<StoredEvent>) => Promise<void>;
  /** After the last one. */
  readonly end: () => Promise<void>;
};
