import type { Readable } from 'node:stream';
import type { either as E, option as O } from 'fp-ts';
import type { Revision } from '../event-sourcing/recorded-event.js';
import type { StoredFile } from '../domain/document/events.js';

/** The read models' database did not answer, or not in time. */
export type ReadModelUnavailable = { readonly _tag: 'ReadModelUnavailable'; readonly cause: unknown };

/**
 * An event of the entity cannot be projected, so its row stays as it is (docs/operations.md, parked entities). It lacks
 * events, and stands in only where this program cannot read them either.
 */
export type RowParked<A> = { readonly _tag: 'RowParked'; readonly row: O.Option<A> };

/** A search for a page, or a count, was given up, because it or those of others took too long. */
export type SearchTooSlow = { readonly _tag: 'SearchTooSlow' };

/** `after` was never the id of a record here. */
export type UnknownCursor = { readonly _tag: 'UnknownCursor' };

/** A record that is too large to be read with others, as bytes, and the revision that they show. */
type LargeRecord = { readonly revision: Revision; readonly bytes: Buffer };

/**
 * A record as GET gives it: the bytes of the JSON text, rendered when it was projected, or a function that reads it where
 * it is large.
 */
export type View = {
  readonly id: string;
  readonly revision: Revision;
  readonly body: Buffer | { readonly read: () => Promise<E.Either<ReadModelUnavailable, O.Option<LargeRecord>>> };
};

/** `created`: the order of creation, which is that of the log. Others name a text of the records. */
export type Order = {
  readonly by: 'created' | 'name';
  readonly isDescending: boolean;
};

export const IN_CREATION_ORDER: Order = { by: 'created', isDescending: false };

/**
 * The record after which a page begins, which may be deleted meanwhile; `key` is the text that it was ordered by, when the
 * page before was read.
 */
export type Cursor = { readonly id: string; readonly key?: string | undefined };

export type Page = {
  /** The bytes of one JSON array; where they are many, a function that opens them, as `all` does. */
  readonly records: Buffer | { readonly open: () => Promise<E.Either<ReadModelUnavailable, Readable>> };
  /** The last record of this page when more follow it. */
  readonly next: Cursor | undefined;
};

/** Records that have the same text are in the order of their creation, or against it where the order is descending. */
export type ListRequest = { readonly order: Order; readonly after?: Cursor | undefined };

export type PageRequest = ListRequest & { readonly limit: number };

/** What every list can be narrowed by. */
export type RecordFilter = {
  /** Records of these ids, of which there are few; what is no id of a record adds nothing. */
  readonly ids?: ReadonlyArray<string> | undefined;
  /** Each word of it begins a word of the record (`words.ts`); without a word it matches nothing. */
  readonly q?: string | undefined;
  /** Times as records show them, inclusive. */
  readonly createdSince?: string | undefined;
  readonly updatedSince?: string | undefined;
};

/**
 * Records of one read model. `Filter` holds exact matches, all of which must hold; an empty text matches nothing.
 * Every adapter passes `test/contract/queries.contract.ts`.
 */
export type Queries<Filter> = {
  /**
   * None when it never was or is deleted, as far as the read model knows. `asNoted`: unavailable where it was noted that
   * the read model lacks an acknowledged change, of any record.
   */
  readonly byId: (
    id: string,
    asNoted?: boolean,
  ) => Promise<E.Either<ReadModelUnavailable | RowParked<View>, O.Option<View>>>;
  /**
   * A deleted record keeps its place as a cursor. A client that goes from page to page gets each record exactly once, if the
   * text by which that record is ordered stays the same meanwhile.
   */
  readonly page: (
    filter: Filter & RecordFilter,
    page: PageRequest,
  ) => Promise<E.Either<ReadModelUnavailable | SearchTooSlow | UnknownCursor, Page>>;
  /**
   * All records as the bytes of one JSON array, in order, in bounded memory at the reader's pace. Fails
   * before the first byte as a value; after it the stream is destroyed with an error and never ends as valid JSON.
   */
  readonly all: (
    filter: Filter & RecordFilter,
    list: ListRequest,
  ) => Promise<E.Either<ReadModelUnavailable | UnknownCursor, Readable>>;
  /**
   * How many records the whole list has, whatever page is read of it. Given up after two seconds, also where others keep it
   * waiting. It is read by itself: a list that is read beside it may be of a moment before or after.
   */
  readonly count: (
    filter: Filter & RecordFilter,
    order: Order,
  ) => Promise<E.Either<ReadModelUnavailable | SearchTooSlow, number>>;
};

/** What the rows of a read model hold beside their bodies. Only the projection that wrote it knows its format. */
export type HiddenStates = {
  /** None when there is no such record, or its row holds no hidden state. `asNoted`: as in `byId`. */
  readonly hiddenState: (
    id: string,
    asNoted?: boolean,
  ) => Promise<E.Either<ReadModelUnavailable | RowParked<HiddenRow>, O.Option<HiddenRow>>>;
};

export type HiddenRow = { readonly hidden: string; readonly revision: Revision };

/** What a record must have: a text, or one of several, which are short. */
export type Sought = string | ReadonlyArray<string>;

/** The filter of any read model: what is sought or undefined by name. */
export type FilterValues = Readonly<Record<string, Sought | undefined>>;

export type BusinessFilter = Partial<Readonly<Record<'name' | 'businessType' | 'parent' | 'ein' | 'owner', string>>>;

export type DocumentFilter = Partial<
  Readonly<Record<'type' | 'entityType', Sought>> & Readonly<Record<'entity' | 'tag' | 'uploadedBy', string>>
>;

export type BusinessQueries = Queries<BusinessFilter>;

export type DocumentQueries = Queries<DocumentFilter> & {
  /** The current file of a document; null while it has none. `asNoted`: as in `byId`. */
  readonly fileOf: (
    id: string,
    asNoted?: boolean,
  ) => Promise<E.Either<ReadModelUnavailable | RowParked<FileVersion>, O.Option<FileVersion>>>;
};

/** The file of a document as of a revision. */
export type FileVersion = { readonly file: StoredFile | null; readonly revision: Revision };
