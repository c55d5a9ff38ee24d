import type { either as E } from 'fp-ts';
import type { Direction, StoreUnavailable } from '../event-sourcing/event-store.js';
import type { ReadModelUnavailable, Sought } from './queries.js';

/** What events of the ledger are narrowed by; all of it must hold. */
export type LedgerFilter = {
  /** Who made it happen. */
  readonly user?: string;
  /** The kind of entity, or several, and the id of one. */
  readonly entityType?: Sought;
  readonly entity?: string;
  /** The stored type of the event. */
  readonly name?: string;
  /** A field that it gave a value or changed. */
  readonly field?: string;
  /** The id of an entity that it refers to. */
  readonly ref?: string;
  /** Words that its reason has, all of them, as `wordsOf` gives them. */
  readonly reason?: ReadonlyArray<string>;
  /** A text, or the JSON of a number or truth value, that its data has as a value; together with `entity` only. */
  readonly value?: string;
  /** Not before this time. */
  readonly since?: Date;
  /** Before this time. */
  readonly until?: Date;
};

export type LedgerPageRequest = {
  readonly filter: LedgerFilter;
  /** Exclusive, in the direction of the page. */
  readonly after: bigint | undefined;
  readonly direction: Direction;
  readonly limit: number;
  /** About how many characters its events have together at most, but for the first. Default: 1 MiB. */
  readonly size?: number;
};

/** An event and its place among all events: from 0, without a gap. */
export type LedgerEntry = {
  readonly index: bigint;
  /** The JSON object that the history of its entity shows. */
  readonly body: string;
};

/** The ledger lacks events that were acknowledged before it was asked, and does not get them in time. */
export type LedgerBehind = { readonly _tag: 'LedgerBehind' };

export type LedgerFailure = ReadModelUnavailable | StoreUnavailable | LedgerBehind;

export type LedgerPage = {
  /** At most `limit`, in the order of the direction; fewer where there are no more, or where they are large. */
  readonly entries: ReadonlyArray<LedgerEntry>;
  readonly isLast: boolean;
};

/** An event for readers with filters of their own. */
export type LedgerRow = LedgerEntry & {
  /** Whether a page of that filter has it. */
  readonly isIn: (filter: LedgerFilter) => boolean;
};

type LedgerRows = {
  /** In their order; fewer than asked for where there are no more, or where they are large. */
  readonly rows: ReadonlyArray<LedgerRow>;
  readonly isLast: boolean;
};

/** Events of all entities in the order of the log. */
export type LedgerQueries = {
  readonly page: (request: LedgerPageRequest) => Promise<E.Either<ReadModelUnavailable, LedgerPage>>;
  /** At most `limit` events behind an index, whatever they are. */
  readonly rowsAfter: (index: bigint, limit: number) => Promise<E.Either<ReadModelUnavailable, LedgerRows>>;
};

/** The ledger as its readers have it: complete up to the moment of the question. */
export type Ledger = {
  readonly page: (request: LedgerPageRequest) => Promise<E.Either<LedgerFailure, LedgerPage>>;
  /** Goes on with a reading that has begun: what came after that need not be in it. */
  readonly nextPage: LedgerQueries['page'];
};
