import type { Readable } from 'node:stream';
import type { either as E } from 'fp-ts';
import type { Position } from '../event-sourcing/recorded-event.js';

/** Object storage did not take or give the object, or not in time. */
export type StorageUnavailable = { readonly _tag: 'StorageUnavailable'; readonly cause: unknown };

/** The body ended early or failed (a client that went away, a limit that was passed); nothing was stored. */
export type UploadAborted = { readonly _tag: 'UploadAborted'; readonly cause: unknown };

export type StoredObject = { readonly key: string; readonly size: number; readonly modifiedAt: Date };

/**
 * Where files are kept, seen from the writing side. Every adapter passes `test/contract/object-storage.contract.ts`.
 * Keys are ours: segments of `[A-Za-z0-9-]` joined by `/`.
 */
export type ObjectStorage = {
  /** Durable when it resolves. Pulls the body at the storage's pace, never holds all of it; a failed body leaves no object. */
  readonly put: (key: string, body: Readable) => Promise<E.Either<StorageUnavailable | UploadAborted, void>>;
  /** Bytes of its body that one `put` holds in memory, at most. */
  readonly heldPerPut: number;
  /** Succeeds as well when there is no such object. */
  readonly remove: (key: string) => Promise<E.Either<StorageUnavailable, void>>;
  /**
   * All complete objects whose keys begin with `prefix`, in no order, page by page; throws the storage's error out of
   * the iterator.
   */
  readonly list: (prefix: string) => AsyncIterable<StoredObject>;
  /** Removes unfinished uploads that were last written to before `before` (after a crash, a lost link); gives how many. */
  readonly clearUnfinished: (before: Date) => Promise<E.Either<StorageUnavailable, number>>;
};

/** What a storage does for an erasure. */
export type ErasableFiles = {
  /**
   * Removes every object directly below a folder, on a server with versions all of each, and gives the keys of those that are
   * there afterwards all the same: the server keeps them.
   */
  readonly removeForGood: (folder: string) => Promise<E.Either<StorageUnavailable, ReadonlyArray<string>>>;
};

/** How far one read model has been projected. */
export type ProjectionProgress = {
  /**
   * True when the read model shows everything up to `position`; false when it does not within the timeout or by `until`
   * (of `Clock.monotonic`), and after a shorter time while its projector is known to be stopped.
   */
  readonly waitFor: (position: Position, until?: number) => Promise<boolean>;
  /**
   * For how long other processes may show records without the change, ms: an answer that says that it is not projected
   * must not come before. 0 where there are none.
   */
  readonly heldMs: number;
};
