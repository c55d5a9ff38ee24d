import type { either as E, option as O } from 'fp-ts';
import type { LoadFailure } from '../event-sourcing/for-each-event.js';
import type { Revision } from '../event-sourcing/recorded-event.js';
import type { AdmitPage } from './admit-page.js';
import type { AsOf, History, StateThen } from './history.js';
import type { FeedRequest, LedgerFeed } from './ledger-feed.js';
import type { Queries, View } from './queries.js';
import type { Freshness } from './row-or-fold.js';

/** The queries that every kind of entity has. `Filter` is what its list can be narrowed by. */
export type EntityReads<Filter> = Pick<Queries<Filter>, 'page' | 'all' | 'count'> &
  Pick<History<never>, 'newestRevision' | 'events'> & {
    /** The entity now, or as it was; none where there was nothing to GET. */
    readonly get: (id: string, asOf: AsOf, admitPage: AdmitPage) => Promise<E.Either<LoadFailure, O.Option<View>>>;
    /** What is known of the rows that lists show. */
    readonly freshness: Freshness;
    /** Its events as they come. */
    readonly follow: (id: string, request: Omit<FeedRequest, 'filter'>) => ReturnType<LedgerFeed['open']>;
  };

/**
 * The state of an entity at a revision, none past the last one; and until when what is done with it may wait for the log, of
 * `Clock.monotonic`.
 */
export type EarlierState<State> = (
  id: string,
  revision: Revision,
  admitPage: AdmitPage,
) => Promise<E.Either<LoadFailure, { readonly then: O.Option<StateThen<State>>; readonly until: number }>>;
