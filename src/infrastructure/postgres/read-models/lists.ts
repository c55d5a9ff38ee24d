import type { Readable } from 'node:stream';
import pg from 'pg';
import { attempt } from '../../../event-sourcing/attempt.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { Rows } from '../../../postgres/rows.js';
import { readRows, run, withConnection } from '../../../postgres/statement.js';
import type { Cursor, FilterValues, ListRequest, Page, PageRequest, RecordFilter } from '../../../read/queries.js';
import { withTimeout } from '../../with-timeout.js';
import { jsonArrayOf } from './json-array.js';
import { cursorSql, isAfter, type ListOrder, listOrderOf, orderBy, placeOf, recordsIn } from './list-order.js';
import {
  BODY,
  hasGivenUp,
  ID,
  isInOrder,
  keyAt,
  makePageStatements,
  type Measure,
  measureOf,
  type PageStatement,
} from './page-statement.js';
import { type Listed, type ListPlan, type ReadModelConnections, unavailable } from './read-model.js';
import { conditionsOf, type Wanted, wantedOf } from './read-model-filter.js';
import type { Estimates } from './estimates.js';
import { makeWalkBounds } from './walk-bounds.js';

/**
 * Rows of a whole list that are sorted before the first is sent, which takes half a second. Of more, an index is walked
 * that has them in order: the list begins at once, and takes longer.
 */
const MOST_SORTED = 50_000;

/** A search is given up so long after the page was asked for, so that it is answered within 2 s. */
const SEARCHED_MS = 1_900;

const before = async (end: number, searching: Promise<Rows>): Promise<Rows> => {
  const rows = await withTimeout(end - performance.now(), searching);
  if (rows === undefined) throw new Error(`the search has found no page within ${SEARCHED_MS} ms`);
  return rows;
};

const hasNull = (rows: Rows, count: number): boolean => {
  for (let row = 0; row < count; row += 1) if (rows.isNull(row, BODY)) return true;
  return false;
};

/** A literal, because COPY takes no parameters. */
const literalOf = ({ value }: Wanted): string => pg.escapeLiteral(value);

/** SQL of all rows of a list from a cursor on, in order, that also fulfil a further condition. */
const rowsFrom = (
  view: string,
  order: ListOrder,
  wanted: ReadonlyArray<Wanted>,
  after: Cursor | undefined,
  further = 'true',
): string => {
  const from = after === undefined ? '' : ` and ${isAfter(order, cursorSql(view, after, pg.escapeLiteral))}`;
  return `select body from read_model.${view}
    where ${recordsIn(order)}${conditionsOf(wanted, literalOf)}${from} and ${further}
    order by ${orderBy(order, order.key, 'place')}`;
};

/** Whether there ever was a record of this id. */
const makeIsId =
  ({ short }: ReadModelConnections, view: string) =>
  async (id: string): Promise<boolean> => {
    const statement = {
      name: `${view} place`,
      text: `select where ${placeOf(view, '$1::uuid')} is not null`,
      values: [id],
    };
    return (await withConnection(short, (client) => run(client, statement))).length > 0;
  };

const EMPTY: Page = { records: Buffer.from('[]'), next: undefined };

/** A page of records; undefined when `after` was never an id. */
export const makePage = (connections: ReadModelConnections, listed: Listed, estimates: Estimates) => {
  const { short, searches, copyList } = connections;
  const { name: view, keys } = listed;
  const statementsOf = makePageStatements(listed);
  const isId = makeIsId(connections, view);

  const bounds = makeWalkBounds(estimates);

  const readOf = ({ statement, isShort }: PageStatement): Promise<Rows> =>
    withConnection(isShort ? short : searches, (client) => readRows(client, statement));

  const read = async (
    wanted: ReadonlyArray<Wanted>,
    request: PageRequest,
    measure: Measure,
    end: number,
  ): Promise<Rows> => {
    const { walk, search } = statementsOf(wanted, request, measure);
    if (search === undefined) return readOf(walk(0));
    const most = await bounds.of(wanted, request);
    if (most > 0) {
      const rows = await readOf(walk(most));
      if (!hasGivenUp(rows)) return rows;
      bounds.gaveUp(wanted, request);
    }
    return before(end, readOf(search));
  };

  const open = (wanted: ReadonlyArray<Wanted>, request: PageRequest, last: Cursor) => () =>
    attempt(() => {
      const order = listOrderOf(listed, request.order);
      const end = cursorSql(view, last, pg.escapeLiteral);
      const rows = rowsFrom(view, order, wanted, request.after, `not ${isAfter(order, end)}`);
      return copyList(rows, isInOrder(wanted, order) ? 'ByIndex' : 'ByValues');
    }, unavailable);

  const rowsOf = async (wanted: ReadonlyArray<Wanted>, request: PageRequest): Promise<Rows> => {
    const measure = measureOf(request.limit);
    const end = performance.now() + SEARCHED_MS;
    const rows = await read(wanted, request, measure, end);
    return measure === 'Shares' && hasNull(rows, Math.min(rows.count, request.limit))
      ? read(wanted, request, 'Sum', end)
      : rows;
  };

  return async (filter: FilterValues & RecordFilter, request: PageRequest): Promise<Page | undefined> => {
    const { after, limit } = request;
    if (after !== undefined && !isUuid(after.id)) return undefined;
    const wanted = wantedOf(keys, filter);
    const rows = wanted === undefined ? undefined : await rowsOf(wanted, request);
    if (wanted === undefined || rows === undefined || rows.count === 0)
      return after === undefined || (await isId(after.id)) ? EMPTY : undefined;
    const count = Math.min(rows.count, limit);
    const last: Cursor = { id: rows.ascii(count - 1, ID), key: keyAt(rows, count - 1) };
    return {
      records: hasNull(rows, count) ? { open: open(wanted, request, last) } : jsonArrayOf(rows, BODY, count),
      next: rows.count > limit ? last : undefined,
    };
  };
};

/** All records after a cursor; undefined when that was never of a record. */
export const makeAll = (connections: ReadModelConnections, listed: Listed, estimates: Estimates) => {
  const { name: view, keys } = listed;
  const isId = makeIsId(connections, view);

  const planOf = async (wanted: ReadonlyArray<Wanted>, { order }: ListRequest): Promise<ListPlan> => {
    if (isInOrder(wanted, listOrderOf(listed, order))) return 'ByIndex';
    return (await estimates(wanted, order)).matching > MOST_SORTED ? 'ByIndex' : 'ByValues';
  };

  return async (filter: FilterValues & RecordFilter, request: ListRequest): Promise<Readable | undefined> => {
    const { after } = request;
    if (after !== undefined && !(isUuid(after.id) && (await isId(after.id)))) return undefined;
    const wanted = wantedOf(keys, filter);
    const order = listOrderOf(listed, request.order);
    const rows = rowsFrom(view, order, wanted ?? [], after, wanted === undefined ? 'false' : 'true');
    return connections.copyList(rows, wanted === undefined ? 'ByIndex' : await planOf(wanted, request));
  };
};
