import { either as E } from 'fp-ts';
import type { Statement } from '../../../postgres/statement.js';
import type { FilterValues, Order, RecordFilter, SearchTooSlow } from '../../../read/queries.js';
import { listOrderOf, recordsIn } from './list-order.js';
import { SEARCHED_MS, tooSlow } from './lists.js';
import { boundFrom } from './page-statement.js';
import type { Listed, ReadModelConnections } from './read-model.js';
import { conditionsOf, jointConditionOf, type Wanted, wantedOf } from './read-model-filter.js';

/** Counts the records that match and that the order has, by whatever index the planner sees fit for the values. */
const countStatement = (listed: Listed, wanted: ReadonlyArray<Wanted>, order: Order): Statement => {
  const { name: view, keys } = listed;
  const boundOf = boundFrom(wanted, 1);
  const matching =
    wanted.length > 1 ? ` and ${jointConditionOf(keys, wanted, boundOf)}` : conditionsOf(wanted, boundOf);
  return {
    name: '',
    text: `select count(*) from read_model.${view} where ${recordsIn(listOrderOf(listed, order))}${matching}`,
    values: wanted.map(({ value }) => value),
  };
};

/** Counts the records of a list, on a connection for counts; Postgres ends a count that takes too long. */
export const makeCount =
  ({ clock, count }: Pick<ReadModelConnections, 'clock' | 'count'>, listed: Listed) =>
  async (filter: FilterValues & RecordFilter, order: Order): Promise<E.Either<SearchTooSlow, number>> => {
    const wanted = wantedOf(listed.keys, filter);
    if (wanted === undefined) return E.right(0);
    const rows = await count(countStatement(listed, wanted, order), clock.monotonic() + SEARCHED_MS);
    return rows === undefined ? E.left(tooSlow) : E.right(Number(rows.ascii(0, 0)));
  };
