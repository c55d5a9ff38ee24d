import type { Readable } from 'node:stream';
import { either as E, type option as O } from 'fp-ts';
import type { Pool } from 'pg';
import type { Projection } from '../../../../projections/projection.js';
import type { CopyLimits } from './copy-json.js';
import type { ReadModelUnavailable, RowParked } from '../../../read/queries.js';
import type { Search } from './searches.js';
import type { Clock } from '../../../event-sourcing/clock.js';

export type ListPlan = 'ByIndex' | 'ByValues';

export type ReadModelConnections = {
  readonly clock: Clock;
  /** For queries of one round trip whose cost is bounded; planned once for each connection (`planByIndex`). */
  readonly short: Pool;
  /** For pages whose cost or best plan depends on the values; planned each time (`planByValues`). */
  readonly search: Search;
  /** For counts, of which few are made at once, so that no page waits for them; planned each time. */
  readonly count: Search;
  /**
   * Copies the rows of a select as one JSON array; rejects when no connection becomes free in time. `ByIndex`: an index gives
   * the rows in their order, and they are not sorted. `ByValues`: planned by the values.
   */
  readonly copyList: (select: string, plan: ListPlan, limits?: CopyLimits) => Promise<Readable>;
};

/** What the queries need of a projection: the view's name and the columns that filters name. */
export type Listed = Pick<Projection, 'name' | 'keys'>;

export const unavailable = (cause: unknown): ReadModelUnavailable => ({ _tag: 'ReadModelUnavailable', cause });

/** What a row holds; on the left where its entity is parked. */
export const unlessParked = <A>(isParked: boolean, row: O.Option<A>): E.Either<RowParked<A>, O.Option<A>> =>
  isParked ? E.left({ _tag: 'RowParked', row }) : E.right(row);
