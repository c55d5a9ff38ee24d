import { categoryOf, type StoredEvent } from '../src/event-sourcing/recorded-event.js';
import type { EventRecord } from '../src/read/event-record.js';

/** The events of one kind of entity, or the operators' decisions. */
export type LedgerKind = {
  readonly category: string;
  /** As the history names it. */
  readonly entityType: string;
  /** What is to be raised when the same event makes another record. */
  readonly version: string;
  /** Whether an event of the category has a row. What the event says tells it, wherever in a log it stands. */
  hasRow(this: void, event: StoredEvent): boolean;
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

/** Finds which events have a row, and so a leaf in the tree. */
export const sealedBy = ({ kinds }: Pick<Ledger, 'kinds'>): ((event: StoredEvent) => boolean) => {
  const byCategory = new Map(kinds.map((kind) => [kind.category, kind]));
  return (event) => byCategory.get(categoryOf(event.stream))?.hasRow(event) ?? false;
};
