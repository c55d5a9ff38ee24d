import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { Role } from '../generation/generation.js';
import type { BatchOfChange, Step } from '../storage.js';

/** Events that have been made into rows, to be written. */
export type PreparedBatch = {
  readonly events: ReadonlyArray<StoredEvent>;
  /**
   * Writes the rows in one transaction with the checkpoint; a batch without events only moves the checkpoint. Batches are
   * written in the order in which they were prepared. Resolves to the role that the generation had then. Undefined, and
   * nothing written, in the cases of `Steps` of the storage: after that, and after an error, nothing more must be prepared or
   * written, because what is held in memory may be wrong.
   */
  readonly write: (step: Omit<Step, 'last'>) => Promise<Role | undefined>;
};

/** `events`: the first of those that were read ahead. */
type FoldNow = (step: Step, events: ReadonlyArray<StoredEvent>) => BatchOfChange;

/**
 * Makes events into rows. A batch may be prepared while the one before it is being written, so that this process and the
 * database work at the same time.
 */
export type ApplyBatch = {
  /** Prepares the events that follow those prepared last. Nothing is written. */
  readonly prepare: (events: ReadonlyArray<StoredEvent>) => Promise<PreparedBatch>;
  /**
   * Reads what the fold of events needs that follow those written last, when nothing is prepared and not yet written. Gives
   * what folds the first of them at once, for a change that writes them.
   */
  readonly readAhead: (events: ReadonlyArray<StoredEvent>) => Promise<FoldNow>;
};
