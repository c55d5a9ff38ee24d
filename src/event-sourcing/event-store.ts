import type { either as E, readonlyNonEmptyArray as RNEA } from 'fp-ts';
import type {
  Checkpoint,
  ExpectedRevision,
  From,
  NewEvent,
  Position,
  Revision,
  StoredEvent,
  StreamName,
} from './recorded-event.js';
import type { StreamPage } from './stream-page.js';

/** The store did not answer, or not in time. Of an append the outcome is unknown: repeat it with the same ids. */
export class StoreUnavailable extends Error {
  readonly _tag = 'StoreUnavailable';
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
  }
}

/** Events of the stream are hidden or gone. A repeat does not help: an operator has to look into it. */
export class StreamTruncated extends StoreUnavailable {}

/** What a store threw, as its failure. */
export const asStoreUnavailable = (thrown: unknown): StoreUnavailable =>
  thrown instanceof StoreUnavailable
    ? thrown
    : new StoreUnavailable(thrown instanceof Error ? thrown.message : String(thrown), thrown);

/** The stream is not at the expected revision; nothing was appended. */
export type RevisionConflict = {
  readonly _tag: 'RevisionConflict';
  readonly expected: ExpectedRevision;
  readonly actual: ExpectedRevision;
};

/** The store will never take these events (too large, a value it cannot hold); repeating does not help. */
export type AppendRejected = { readonly _tag: 'AppendRejected'; readonly reason: string };

export type AppendFailure = RevisionConflict | AppendRejected | StoreUnavailable;

/** Revision and position of the last event of the append. */
export type Appended = {
  readonly revision: Revision;
  readonly position: Position;
  /** False when events with these ids were there already, or when the store cannot say: their data may differ. */
  readonly confirmedNew: boolean;
};

/** The checkpoint is not in this log: it is of another log, or this one was restored from a backup made before it. */
export class CheckpointNotInLog extends Error {
  readonly _tag = 'CheckpointNotInLog';
  readonly checkpoint: Checkpoint;
  constructor(checkpoint: Checkpoint, message: string) {
    super(message);
    this.checkpoint = checkpoint;
    this.name = 'CheckpointNotInLog';
  }
}

export type Direction = 'forwards' | 'backwards';

export type StreamRange = {
  readonly direction: Direction;
  /** First revision given, inclusive. Default: the first event forwards, the last one backwards. */
  readonly from?: Revision;
  /** At most so many events. Default: all. */
  readonly limit?: number;
  /**
   * When the first page is given up at the latest, of `Clock.monotonic`; when that is over, it is not asked for. Default:
   * when the store gives it up by itself.
   */
  readonly until?: number;
  /**
   * Whether the first page is within `FIRST_PAGE`, and read together with those of other streams where the store can. It
   * may be empty though there is more: when the first event is larger. Default: no.
   */
  readonly startsSmall?: boolean;
  /** Whether it is asked first which keys others have destroyed by now, where the log is encrypted. Default: as some seconds ago. */
  readonly asksForKeys?: boolean;
};

export type LogRange = {
  /** Exclusive. */
  readonly after: From;
  /** Only streams of these categories; default all of ours. */
  readonly categories?: ReadonlyArray<string>;
};

/** Events in log order, and where to read on: `checkpoint` may lie past the last event. */
export type LogBatch = { readonly events: ReadonlyArray<StoredEvent>; readonly checkpoint: Checkpoint };

/** What stands where the store keeps events, and is none of the log: nobody who reads the whole log sees it. */
export type Stray = Pick<StoredEvent, 'stream' | 'revision' | 'id' | 'position'>;

/** A stream of which the store hides events from who reads it, and the first one that it shows; undefined: none. */
export type Truncated = { readonly stream: StreamName; readonly first: Revision | undefined };

/** Streams that are truncated, and where to read on. */
export type TruncationBatch = { readonly truncated: ReadonlyArray<Truncated>; readonly checkpoint: Checkpoint };

/** The streams of a category from one name on to before another, in the order of their names. */
export type KeyRange = {
  readonly category: string;
  /** Inclusive; null: from the first. */
  readonly from: StreamName | null;
  /** Exclusive; null: to the last. */
  readonly before: StreamName | null;
};

/** Reads a log stream by stream, whatever the order in which the streams were written. */
export type ByStream = {
  /** Divides the streams of a category into key ranges of roughly `events` events each; there is at least one. */
  readonly divide: (category: string, events: number) => Promise<E.Either<StoreUnavailable, ReadonlyArray<KeyRange>>>;
  /**
   * Every event of a key range up to a position, inclusive, in pages: stream after stream, each from its first event to
   * its last, so that a fold needs one state at a time. Pulled at the consumer's pace; throws `StoreUnavailable`.
   */
  readonly read: (range: KeyRange, upTo: Position) => AsyncIterable<ReadonlyArray<StoredEvent>>;
};

/**
 * Asked just before events are sent, each time that they are: a log that was put back since they were decided on must not
 * get them. A failure is that of the append.
 */
export type MayAppend = () => Promise<E.Either<StoreUnavailable, void>>;

/**
 * The log. Every adapter passes `test/contract/event-store.contract.ts`.
 *
 * Reads are pulled page by page, at the consumer's pace. They release what they hold when the consumer stops early, and
 * throw `StoreUnavailable` out of the iterator when the store does not answer.
 */
export type EventStore = {
  /**
   * Appends all events or none, at exactly `expected`. Repeating an append with the same ids at the same place
   * succeeds with the original revision and position, for ever. Events of one append are adjacent in the log.
   * `until`, of `Clock.monotonic`: when it is given up at the latest; when too little is left of that, nothing is sent.
   * Default: when the store gives it up by itself.
   */
  readonly append: (
    stream: StreamName,
    expected: ExpectedRevision,
    events: RNEA.ReadonlyNonEmptyArray<NewEvent>,
    until?: number,
    mayAppend?: MayAppend,
  ) => Promise<E.Either<AppendFailure, Appended>>;
  /** Pages of one stream; a stream that never was is empty. Shows every append acknowledged before the call. */
  readonly readStream: (stream: StreamName, range: StreamRange) => AsyncIterable<StreamPage>;
  /**
   * Of a stream's newest event, whatever the event is. Shows every append acknowledged before the call. Given up at `until`,
   * as a first page is.
   */
  readonly newestRevision: (
    stream: StreamName,
    until?: number,
  ) => Promise<E.Either<StoreUnavailable, ExpectedRevision>>;
  /** The log from a checkpoint to the head (as it was at the call, or later); then it ends. */
  readonly readAll: (range: LogRange) => AsyncIterable<LogBatch>;
  /**
   * Catches up, then follows until `signal` aborts; then it ends without an error. It reconnects by itself, repeats no
   * event and leaves none out. Throws `CheckpointNotInLog` when it does not know where to start.
   */
  readonly subscribe: (range: LogRange, signal: AbortSignal) => AsyncIterable<LogBatch>;
  /** Position of the newest event of these categories (default: all of ours); undefined while there is none. */
  readonly head: (categories?: ReadonlyArray<string>) => Promise<E.Either<StoreUnavailable, Position | undefined>>;
  /** Whether the log still reaches this checkpoint; one restored from an earlier backup does not. */
  readonly reaches: (checkpoint: Checkpoint) => Promise<E.Either<StoreUnavailable, boolean>>;
  /** A text that names this log for ever; a copy of the log keeps it, a new log has another. */
  readonly identity: () => Promise<E.Either<StoreUnavailable, string>>;
  /**
   * Only of stores that can truncate a stream, which hides events from who reads it and leaves them in the log: the streams
   * that are truncated, in the order in which they were. One that was truncated more than once may come as often. Throws as
   * `readAll` does.
   */
  readonly readTruncations?: (range: Pick<LogRange, 'after'>) => AsyncIterable<TruncationBatch>;
  /** Only of stores whose owner can put something beside the log: the first of what stands there. */
  readonly readStrays?: () => Promise<E.Either<StoreUnavailable, ReadonlyArray<Stray>>>;
  /** Only of stores that remember something of the log: it has lost events, and what is remembered is void. */
  readonly forget?: () => void;
  /** Only of stores that have an index by stream: a rebuild of all rows reads it faster than the log. */
  readonly byStream?: ByStream;
};
