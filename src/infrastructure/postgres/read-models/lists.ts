import type { Readable } from 'node:stream';
import { either as E } from 'fp-ts';
import pg from 'pg';
import { SILENCE_MS } from '../../../event-sourcing/answer-deadline.js';
import { attempt } from '../../../event-sourcing/attempt.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { Rows } from '../../../postgres/rows.js';
import { readRows, run, withConnection } from '../../../postgres/statement.js';
import type {
  Cursor,
  FilterValues,
  ListRequest,
  Page,
  PageRequest,
  RecordFilter,
  SearchTooSlow,
  UnknownCursor,
} from '../../../read/queries.js';
import { withTimeout } from '../../../event-sourcing/with-timeout.js';
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
import { conditionsOf, isIds, type Wanted, wantedOf } from './read-model-filter.js';
import type { Estimates } from './estimates.js';
import { makeWalkBounds } from './walk-bounds.js';
import type { Clock } from '../../../event-sourcing/clock.js';

/**
 * Rows of a whole list that are sorted before the first is sent, which takes half a second. Of more, an index is walked
 * that has them in order: the list begins at once, and takes longer.
 */
const MOST_SORTED = 50_000;

/** A search or a count is given up so long after it was asked for, so that it is answered within 2 s. */
export const SEARCHED_MS = 1_900;

/** Until when the parts of one page are waited for, of `Clock.monotonic`. */
type Deadline = {
  /** Its searches: others wait for their connections. */
  readonly searched: number;
  /** All of them: a database that pauses for less is waited for. */
  readonly answered: number;
};

/** That of a page which is asked for now. */
export const pageDeadline = (clock: Clock): Deadline => {
  const now = clock.monotonic();
  return { searched: now + SEARCHED_MS, answered: now + SILENCE_MS };
};

/** What a page comes to by its deadline; rejects after it. */
export const answeredBy = async <A extends object>(
  clock: Clock,
  { answered }: Deadline,
  answering: Promise<A>,
): Promise<A> => {
  const answer = await withTimeout(clock, answered - clock.monotonic(), answering);
  if (answer === undefined) throw new Error(`the database has not given a page within ${SILENCE_MS} ms`);
  return answer;
};

export const unknownCursor: UnknownCursor = { _tag: 'UnknownCursor' };

export const tooSlow: SearchTooSlow = { _tag: 'SearchTooSlow' };

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

/** A page of records, all of whose searches end by one deadline. One with large records is opened later, and has its own. */
export const makePage = (connections: ReadModelConnections, listed: Listed, estimates: Estimates) => {
  const { clock, short, search, copyList } = connections;
  const { name: view, keys } = listed;
  const statementsOf = makePageStatements(listed);
  const isId = makeIsId(connections, view);

  const bounds = makeWalkBounds(clock, estimates);

  const readOf = ({ statement, isShort }: PageStatement, { searched }: Deadline): Promise<Rows | undefined> =>
    isShort ? withConnection(short, (client) => readRows(client, statement)) : search(statement, searched);

  /** Undefined when a search was given up. */
  const read = async (
    wanted: ReadonlyArray<Wanted>,
    request: PageRequest,
    measure: Measure,
    deadline: Deadline,
  ): Promise<Rows | undefined> => {
    const statements = statementsOf(wanted, request, measure);
    if (statements.search === undefined) return readOf(statements.walk(0), deadline);
    const most = await bounds.of(wanted, request);
    if (most > 0) {
      const rows = await readOf(statements.walk(most), deadline);
      if (rows === undefined || !hasGivenUp(rows)) return rows;
      bounds.gaveUp(wanted, request);
    }
    return readOf(statements.search, deadline);
  };

  const open = (wanted: ReadonlyArray<Wanted>, request: PageRequest, last: Cursor) => {
    const order = listOrderOf(listed, request.order);
    const plan: ListPlan = isInOrder(wanted, order) ? 'ByIndex' : 'ByValues';
    const end = cursorSql(view, last, pg.escapeLiteral);
    const rows = rowsFrom(view, order, wanted, request.after, `not ${isAfter(order, end)}`);
    return () => attempt(() => copyList(rows, plan), unavailable);
  };

  const rowsOf = async (
    wanted: ReadonlyArray<Wanted>,
    request: PageRequest,
    deadline: Deadline,
  ): Promise<Rows | undefined> => {
    const measure = measureOf(request.limit);
    const rows = await read(wanted, request, measure, deadline);
    return rows !== undefined && measure === 'Shares' && hasNull(rows, Math.min(rows.count, request.limit))
      ? read(wanted, request, 'Sum', deadline)
      : rows;
  };

  return async (
    filter: FilterValues & RecordFilter,
    request: PageRequest,
    deadline: Deadline,
  ): Promise<E.Either<SearchTooSlow | UnknownCursor, Page>> => {
    const { after, limit } = request;
    const empty = async () => (after === undefined || (await isId(after.id)) ? E.right(EMPTY) : E.left(unknownCursor));
    if (after !== undefined && !isUuid(after.id)) return E.left(unknownCursor);
    const wanted = wantedOf(keys, filter);
    if (wanted === undefined) return empty();
    const rows = await rowsOf(wanted, request, deadline);
    if (rows === undefined) return E.left(tooSlow);
    if (rows.count === 0) return empty();
    const count = Math.min(rows.count, limit);
    const last: Cursor = { id: rows.ascii(count - 1, ID), key: keyAt(rows, count - 1) };
    return E.right({
      records: hasNull(rows, count) ? { open: open(wanted, request, last) } : jsonArrayOf(rows, BODY, count),
      next: rows.count > limit ? last : undefined,
    });
  };
};

/** All records after a cursor; undefined when that was never of a record. */
export const makeAll = (connections: ReadModelConnections, listed: Listed, estimates: Estimates) => {
  const { name: view, keys } = listed;
  const isId = makeIsId(connections, view);

  const planOf = async (wanted: ReadonlyArray<Wanted>, { order }: ListRequest): Promise<ListPlan> => {
    if (isInOrder(wanted, listOrderOf(listed, order))) return 'ByIndex';
    if (wanted.some(isIds)) return 'ByValues';
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
