import type { StoredEvent } from '../recorded-event.js';

/**
 * Why an event lacks its data: an erasure is recorded that names it (`Erased`), or was begun and is not recorded yet
 * (`BeingErased`); or none is.
 */
export type Lacking = 'Erased' | 'BeingErased' | 'Missing';

/** Something that is compared with a log while all of its events pass by. Rejects with errors of log and database. */
export type LogCheck = {
  /** The next events of the log, in its order; `lacking`: those of them that lack their data; without it none is known to be erased. */
  readonly take: (events: ReadonlyArray<StoredEvent>, lacking?: ReadonlyMap<StoredEvent, Lacking>) => Promise<void>;
  /** After the last one. */
  readonly end: () => Promise<void>;
};
