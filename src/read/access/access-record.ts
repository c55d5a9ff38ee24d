import type { either as E } from 'fp-ts';
import type { Direction } from '../../event-sourcing/event-store.js';
import type { ReadModelUnavailable, Sought } from '../queries.js';

/** A read whose answer is known: who was given what, when, and how it was written. */
export type Read = {
  readonly at: Date;
  readonly user: string;
  /** The name of the operation of HTTP, or of the command. */
  readonly operation: string;
  /** The one record that it was of; undefined of many. */
  readonly record?: { readonly entityType: string; readonly entity: string } | undefined;
  /** Its parameters, as `whatWasAsked` writes them. */
  readonly what: string;
  /** `json`, `ndjson`, `csv`, `feed`, `file`, `range` …; empty of what is no read, such as a switch of the record. */
  readonly form: string;
  /** Of HTTP; commands have none. */
  readonly requestId?: string;
};

/** A row of the record; `id` grows in the order in which rows were committed. */
export type RecordedRead = Read & { readonly id: bigint };

/** What rows are narrowed by; all of it must hold. */
export type AccessFilter = {
  readonly user?: string;
  readonly entityType?: Sought;
  readonly entity?: string;
  readonly operation?: string;
  /** Not before this time. */
  readonly since?: Date;
  /** Before this time. */
  readonly until?: Date;
};

export type AccessPageRequest = {
  readonly filter: AccessFilter;
  /** Exclusive, in the direction of the page. */
  readonly after: bigint | undefined;
  readonly direction: Direction;
  readonly limit: number;
  /** No row behind this one. Default: all that there are. */
  readonly upTo?: bigint;
};

export type AccessPage = {
  /** At most `limit`, in the order of the direction. */
  readonly reads: ReadonlyArray<RecordedRead>;
  readonly isLast: boolean;
};

/** Who may read it. */
export type AccessQueries = {
  readonly page: (request: AccessPageRequest) => Promise<E.Either<ReadModelUnavailable, AccessPage>>;
  /** The id of the newest row; undefined where there is none. */
  readonly newest: () => Promise<E.Either<ReadModelUnavailable, bigint | undefined>>;
};

/** The record of reads, which only grows. */
export type AccessRecord = AccessQueries & {
  /** Adds rows in their order. Rejects where they are not stored, or where nobody knows. */
  readonly add: (reads: ReadonlyArray<Read>) => Promise<void>;
};
