import type { StoredEvent } from '../src/event-sourcing/recorded-event.js';
import type { EventRecord } from '../src/read/event-record.js';

/** The events of one kind of entity. */
export type LedgerKind = {
  readonly category: string;
  /** As the history names it. */
  readonly entityType: string;
  /** What is to be raised when the same event makes another record. */
  readonly version: string;
  /** Total: an event that this program cannot decode has a record, too. */
  recordOf(this: void, event: StoredEvent): EventRecord;
};

/**
 * A read model with one row for each event of some categories, in the order of the log. Rows are numbered from 0 without
 * a gap, so a copy of the log, in which events have other positions, makes the same rows. Nothing is ever parked.
 */
export type Ledger = {
  readonly rowFor: 'event';
  readonly name: string;
  readonly kinds: ReadonlyArray<LedgerKind>;
};
