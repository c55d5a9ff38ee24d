import type { Revision, StoredEvent } from '../src/event-sourcing/recorded-event.js';

/** What the ledger holds of an event, beside its place. */
export type LedgerRecord = {
  /** Id of the entity; with the category it is the name of the stream. */
  readonly entity: string;
  readonly revision: Revision;
  /** The stored type of the event. */
  readonly name: string;
  /** Null where the envelope does not tell, because it is not one of ours. */
  readonly actor: string | null;
  /** ISO 8601, UTC. Null as above. */
  readonly at: string | null;
  /** The fields that it gave a value or changed, as the history names them. */
  readonly fields: ReadonlyArray<string>;
  /** The ids of the entities that it refers to. */
  readonly refs: ReadonlyArray<string>;
  /** `hash` of the event, lower-case hex; null as above. */
  readonly hash: string | null;
  /** The JSON object that the history of the entity shows. */
  readonly body: string;
};

/** The events of one kind of entity. */
export type LedgerKind = {
  readonly category: string;
  /** As the history names it. */
  readonly entityType: string;
  /** What is to be raised when the same event makes another record. */
  readonly version: string;
  /** Total: an event that this program cannot decode has a record, too. */
  recordOf(this: void, event: StoredEvent): LedgerRecord;
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
