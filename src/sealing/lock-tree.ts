import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { ReadTiles } from '../seal/read-tiles.js';

/** The tree as it is now, which no other process signs meanwhile. */
export type LockedTree = {
  readonly size: number;
  /** Rejects with what the database throws. */
  readonly readTiles: ReadTiles<never>;
  /** The largest recorded checkpoint of an origin. */
  readonly largestOf: (origin: string) => Promise<SignedCheckpoint | undefined>;
  /** Recorded when the work has ended. */
  readonly record: (checkpoint: SignedCheckpoint) => Promise<void>;
};

/**
 * Gives `work` the live tree in a transaction, one process at a time. Undefined while there is no tree; rejects with what
 * the database throws.
 */
export type LockTree = <A>(work: (tree: LockedTree) => Promise<A>) => Promise<A | undefined>;
