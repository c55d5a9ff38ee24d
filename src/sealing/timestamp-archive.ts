import type { either as E } from 'fp-ts';
import type { StorageUnavailable } from '../application/ports.js';
import type { SignedCheckpoint } from '../read/sealed-tree.js';
import type { CheckpointTaken } from './checkpoint-archive.js';

/** A checkpoint with the answer of a time stamping authority (RFC 3161) about it. Who has signed either is not looked at. */
export type Stamped = { readonly checkpoint: SignedCheckpoint; readonly answer: Buffer };

/** The timestamps that are kept beside checkpoints in a storage of files. Nothing is ever changed or removed there. */
export type TimestampArchive = {
  /** All of them, in no order; throws the storage's error out of the iterator. What is no timestamp of its checkpoint is left out. */
  readonly all: () => AsyncIterable<Stamped>;
  /** Durable when it resolves. To put one again that is there already does nothing. */
  readonly put: (stamped: Stamped) => Promise<E.Either<StorageUnavailable | CheckpointTaken, void>>;
};
