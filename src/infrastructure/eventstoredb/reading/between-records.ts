import type { Checkpoint } from '../../../event-sourcing/recorded-event.js';

/**
 * Where the server has looked at everything before a place, it names the place by a prepare position of 0. That may be
 * the end of the log: the next record then gets this commit position, and has not been seen. Checkpoints are compared by
 * `commit` alone, so such a one gets the commit position before it, and keeps the place as `prepare`: in a checkpoint of
 * a record, `prepare` is never higher than `commit`.
 */
export const asCheckpoint = ({ commit, prepare }: Checkpoint): Checkpoint =>
  prepare === 0n && commit > 0n ? { commit: commit - 1n, prepare: commit } : { commit, prepare };

/** The place in the log before which everything has been seen; undefined when the checkpoint is one of a record. */
export const placeBetweenRecords = ({ commit, prepare }: Checkpoint): bigint | undefined =>
  prepare > commit ? prepare : undefined;
