import { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import type { SignedCheckpoint } from '../../src/read/sealed-tree.js';
import type { CheckpointArchive } from '../../src/sealing/checkpoint-archive.js';

/** An archive in memory, which a test may look into, empty and take away. */
export const makeMemoryArchive = (): CheckpointArchive & {
  readonly kept: Array<SignedCheckpoint>;
  isAway: boolean;
} => {
  const kept: Array<SignedCheckpoint> = [];
  const unlessAway = <A>(answer: () => A): Promise<E.Either<{ _tag: 'StorageUnavailable'; cause: unknown }, A>> =>
    Promise.resolve(
      archive.isAway ? E.left({ _tag: 'StorageUnavailable', cause: new Error('away') }) : E.right(answer()),
    );
  const archive = {
    kept,
    isAway: false,
    put: (checkpoint: SignedCheckpoint) => unlessAway(() => void kept.push(checkpoint)),
    largestOf: (origin: string, beyond: number) =>
      unlessAway(() =>
        kept
          .filter((one) => one.origin === origin && one.size > beyond)
          .toSorted((a, b) => b.size - a.size)
          .at(0),
      ),
    all: () => Readable.from(kept) as AsyncIterable<SignedCheckpoint>, // reason: it gives what it is made of
    isThere: () => Promise.resolve(!archive.isAway),
  };
  return archive;
};
