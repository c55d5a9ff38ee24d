import type { Read } from './access-record.js';

/** What becomes of the rows of the record of reads, for who logs it. */
export type AccessEvent =
  /** The database did not take rows, or nobody knows. */
  | { readonly _tag: 'NotWritten'; readonly cause: unknown }
  /** It takes them again. */
  | { readonly _tag: 'WrittenAgain' }
  /** So many reads were answered of which there is no row. `isLast`: the process ends. */
  | { readonly _tag: 'Lost'; readonly reads: number; readonly isLast?: true };

/** Puts reads into the record. */
export type ReadWriter = {
  /**
   * Undefined where the answer is not to wait; else whether the read is recorded, without which there is no answer. `until`, of
   * `Clock.monotonic`: when the answer is due.
   */
  readonly write: (read: Read, until: number) => Promise<boolean> | undefined;
  /** Reads that were answered and are not in the record. */
  readonly lost: () => number;
  /** Whether the database did not take the last rows. */
  readonly isFailing: () => boolean;
  /** Writes what is held, once; what the database does not take then is lost. Comes after the last read. */
  readonly stop: () => Promise<void>;
};
