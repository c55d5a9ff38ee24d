import type { either as E } from 'fp-ts';
import type { ReadTiles } from '../seal/read-tiles.js';
import type { ReadModelUnavailable } from './queries.js';

/** A signed checkpoint, as it was handed out. */
export type SignedCheckpoint = {
  readonly origin: string;
  readonly size: number;
  /** The signed note. */
  readonly note: string;
};

/** The tree over all events of the ledger, as Postgres keeps it. It may be larger than its newest checkpoint. */
export type SealedTree = {
  /**
   * The checkpoint that was signed last, under whatever origin; undefined before the first. With witnesses, the last one that they have
   * cosigned, unless a later one has waited for them for a minute.
   */
  readonly newestCheckpoint: () => Promise<E.Either<ReadModelUnavailable, SignedCheckpoint | undefined>>;
  /** The newest one of an origin; undefined where it has none. */
  readonly newestOf: (origin: string) => Promise<E.Either<ReadModelUnavailable, SignedCheckpoint | undefined>>;
  /** The largest one of an origin that witnesses have cosigned; undefined where there is none. */
  readonly cosignedOf: (origin: string) => Promise<E.Either<ReadModelUnavailable, SignedCheckpoint | undefined>>;
  /** All of them, without cosignatures, by origin and from the smallest to the largest, page by page; throws what the database throws. */
  readonly checkpoints: () => AsyncIterable<SignedCheckpoint>;
  /** The same of those that witnesses have cosigned, with the cosignatures. */
  readonly cosigned: () => AsyncIterable<SignedCheckpoint>;
  readonly readTiles: ReadTiles<ReadModelUnavailable>;
  /** The data of leaves from `first` on, 32 bytes each: at most `count`, fewer at the end of the tree. */
  readonly readLeaves: (first: number, count: number) => Promise<E.Either<ReadModelUnavailable, ReadonlyArray<Buffer>>>;
};
