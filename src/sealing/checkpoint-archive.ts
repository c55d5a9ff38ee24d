import type { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../application/ports.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';

/** Something else has the key of the checkpoint, and is not overwritten. */
export type CheckpointTaken = { readonly _tag: 'CheckpointTaken'; readonly cause: Error };

/**
 * Checkpoints in the storage of files, out of reach of who owns the database alone. Nothing is ever changed or removed
 * there; where the bucket has object lock, nobody else can either.
 */
export type CheckpointArchive = {
  /** Durable when it resolves. To put one again that is there already does nothing. */
  readonly put: (checkpoint: SignedCheckpoint) => Promise<E.Either<StorageUnavailable | CheckpointTaken, void>>;
  /** The largest one of an origin that is larger than `beyond`; undefined where there is none. */
  readonly largestOf: (
    origin: string,
    beyond: number,
  ) => Promise<E.Either<StorageUnavailable, SignedCheckpoint | undefined>>;
  /** All of them, in no order; throws the storage's error out of the iterator. What is no checkpoint is left out. */
  readonly all: () => AsyncIterable<SignedCheckpoint>;
  /** Whether the storage answers, by one cheap request. */
  readonly isThere: () => Promise<boolean>;
};
