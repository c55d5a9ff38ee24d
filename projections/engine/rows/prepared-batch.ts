import type { StoredEvent } from '../../../src/event-sourcing/recorded-event.js';
import type { Role } from '../generation/generation.js';
import type { Step } from './write-batch.js';

/** Events that have been made into rows, to be written. */
export type PreparedBatch = {
  readonly events: ReadonlyArray<StoredEvent>;
  /**
   * Writes the rows in one transaction with the checkpoint; a batch without events only moves the checkpoint. Batches are
   * written in the order in which they were prepared. Resolves to the role that the generation had then. Undefined, and
   * nothing written, in the cases of `writeStep`: after that, and after an error, nothing more must be prepared or
   * written, because what is held in memory may be wrong.
   */
  readonly write: (step: Omit<Step, 'last'>) => Promise<Role | undefined>;
};

/**
 * Makes events into rows. A batch may be prepared while the one before it is being written, so that this process and the
 * database work at the same time.
 */
export type ApplyBatch = {
  /** Prepares the events that follow those prepared last. Nothing is written. */
  readonly prepare: (events: ReadonlyArray<StoredEvent>) => Promise<PreparedBatch>;
};
