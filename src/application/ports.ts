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
  /** Durable when it answers. Pulled at the storage's pace, never held whole; a failed body leaves no object. */
  readonly put: (key: string, body: Readable) => Promise<E.Either<StorageUnavailable | UploadAborted, void>>;
  /** What one `put` holds of its body while it takes it, at most, bytes. */
  readonly heldPerPut: number;
  /** Removing what is not there is fine. */
  readonly remove: (key: string) => Promise<E.Either<StorageUnavailable, void>>;
  /**
   * All complete objects whose keys begin with `prefix`, in no order, page by page; throws the storage's error out of
   * the iterator.
   */
  readonly list: (prefix: string) => AsyncIterable<StoredObject>;
  /** Removes what uploads last written to before `before` left without being finished (a crash, a lost link); how many. */
  readonly clearUnfinished: (before: Date) => Promise<E.Either<StorageUnavailable, number>>;
};

/** How far one read model has come with the log. */
export type ProjectionProgress = {
  /**
   * True when the read model shows everything up to `position`; false when the waiting budget ran out first, and at
   * once while it is known to stand still.
   */
  readonly waitFor: (position: Position) => Promise<boolean>;
};
