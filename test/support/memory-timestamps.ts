import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { Stamped, TimestampArchive } from '../../src/sealing/timestamp-archive.js';

/** Timestamps in memory, which a test may look into. */
export const makeMemoryTimestamps = (
  ...kept: Array<Stamped>
): TimestampArchive & { readonly kept: Array<Stamped> } => ({
  kept,
  put: (stamped) => {
    kept.push(stamped);
    return Promise.resolve(E.right(undefined));
  },
  all: () => Readable.from(kept) as AsyncIterable<Stamped>, // reason: it gives what it is made of
});
