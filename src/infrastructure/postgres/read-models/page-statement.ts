import type { Rows } from '../../../postgres/rows.js';
import type { Statement } from '../../../postgres/statement.js';
import type { Order, PageRequest } from '../../../read/queries.js';
import { indexedText } from '../../../../projections/engine/postgres/schema/table.js';
import { type CursorSql, cursorSql, isAfter, type ListOrder, listOrderOf, orderBy, recordsIn } from './list-order.js';
import type { Listed } from './read-model.js';
import { boundType, conditionsOf, isIds, isIndexedWhole, jointConditionOf, type Wanted } from './read-model-filter.js';

/** A page of more bytes is streamed instead of being read into memory. */
export const PAGE_BYTES = 256 * 1024;

/** A page of more records is measured before it is read. */
const UNMEASURED = 100;

/**
 * Entries that a statement may meet on a connection that records by id share. An entry that is passed over costs 3 to 4 µs; a
 * page of a thousand, which may always meet five for each record, is still among them.
 */
const MOST_SHORT = 6_000;

/**
 * Statements that are named, so that each connection keeps their plans: more than any client is likely to use, and no more
 * than a hundred connections have room for.
 */
const MOST_NAMED = 200;

/**
 * Which bodies a page gives, so that it never has more than `PAGE_BYTES`. `Shares`: those that have at most an equal share
 * of the bytes, which costs nothing to find out and is all of them but for unusual records. `Sum`: those up to where the
 * bodies together reach `PAGE_BYTES`, which costs as much as to read them.
 */
export type Measure = 'Shares' | 'Sum';

export const measureOf = (limit: number): Measure => (limit <= UNMEASURED ? 'Shares' : 'Sum');

/**
 * How the rows of a page are found. `Walk`: by the one index that has them in order and has no others. `BoundedWalk`: by an
 * index that has them in order, passing over what does not match. A bounded walk ends at `most` entries; its last row then
 * has no id. `Search`: by the joint index and those of times, as the planner sees fit for the values, and then sorted.
 * `ByIds`: by the ids that are asked for, of which there are few, and then sorted.
 */
type Way = 'Walk' | 'BoundedWalk' | 'Search' | 'ByIds';

export type PageStatement = {
  readonly statement: Statement;
  /** Whether it meets at most `MOST_SHORT` entries, and one plan is right for every value. */
  readonly isShort: boolean;
};

/** How a page is read. */
type PageStatements = {
  /** `most` are the entries that it may meet, of a walk that is bounded. */
  readonly walk: (most: number) => PageStatement;
  /** Undefined where a walk needs no bound. */
  readonly search: PageStatement | undefined;
};

/** The filter whose index has its rows in the order of the list. */
const leadOf = (wanted: ReadonlyArray<Wanted>, order: ListOrder) =>
  order.key === undefined ? wanted.find(isIndexedWhole) : undefined;

/** Whether the rows of a list are those of one index, in its order. */
export const isInOrder = (wanted: ReadonlyArray<Wanted>, order: ListOrder): boolean =>
  wanted.length === (leadOf(wanted, order) === undefined ? 0 : 1);

/** What a statement is made of. `$1` is the limit and `$2` bytes. */
type Parts = {
  readonly view: string;
  readonly keys: Listed['keys'];
  readonly wanted: ReadonlyArray<Wanted>;
  readonly order: ListOrder;
  /** SQL of the value of a filter. */
  readonly boundOf: (each: Wanted) => string;
  /** Where the page begins, if not at the first record. */
  readonly after: CursorSql | undefined;
  /** SQL of what is read of a row beside its id and key. */
  readonly shown: string;
  /** SQL of the most entries that a bounded walk may meet. */
  readonly most: string;
};

/**
 * The rows from the cursor on, or those of them that have the value of a text key. Written as a range: for an equality the
 * planner could also walk all records, and pass over those that do not match. `lead` comes before the place in the order.
 */
const walkOf = ({
  view,
  wanted,
  order,
  boundOf,
  after,
}: Pick<Parts, 'view' | 'wanted' | 'order' | 'boundOf' | 'after'>) => {
  const from = `from read_model.${view} where ${recordsIn(order)}`;
  const by = leadOf(wanted, order);
  if (by !== undefined) {
    const [lead, value] = [indexedText(by.key), boundOf(by)];
    const end = `${lead} ${order.direction === 'asc' ? '<=' : '>='} ${value}`;
    const begin = `(${lead}, place) ${order.later} (${value}, ${after?.place ?? order.start})`;
    return { rows: `${from} and ${end} and ${begin}`, by, lead };
  }
  const { key } = order;
  if (after === undefined) return { rows: from, by, lead: key };
  return { rows: `${from} and ${isAfter(order, after)}`, by, lead: key };
};

/** The order of rows that have their key and place by these names. */
const orderByKey = (order: ListOrder): string => orderBy(order, order.key === undefined ? undefined : 'key', 'place');

const keyIn = ({ key }: ListOrder): string => `${key ?? 'null'} as key`;

/** SQL of the id, `shown` and the key of one row more than the page may have, in the order of the list. */
const rowsBy: Readonly<Record<Way, (parts: Parts) => string>> = {
  Walk: (parts) => {
    const { order, shown } = parts;
    const { rows, lead } = walkOf(parts);
    return `select id, ${shown}, ${keyIn(order)} ${rows} order by ${orderBy(order, lead, 'place')} limit $1::integer`;
  },
  BoundedWalk: (parts) => {
    const { wanted, boundOf, order, shown, most } = parts;
    const { rows, by, lead } = walkOf(parts);
    const others = wanted.filter((each) => each !== by);
    const ordered = `order by ${orderBy(order, lead, 'place')}`;
    // the last entry that may be met is no record, but says that there may be more
    return `
      select case when met < ${most} then id end as id, ${shown}, key from (
        select id, body, ${lead ?? 'null'} as lead, ${keyIn(order)}, place, row_number() over (${ordered}) as met,
          true${conditionsOf(others, boundOf)} as is_match
        ${rows} ${ordered} limit ${most}
      ) walked
      where is_match or met = ${most}
      order by ${orderBy(order, lead === undefined ? undefined : 'lead', 'place')} limit $1::integer`;
  },
  Search: ({ view, keys, wanted, order, boundOf, shown, after }) => {
    const beyond = after === undefined ? '' : ` and ${isAfter(order, after, 'key')}`;
    // "offset 0": else the planner expects to meet enough of these rows soon, and walks all in order
    return `select id, ${shown}, key
      from (select id, body, place, ${keyIn(order)} from read_model.${view}
        where ${jointConditionOf(keys, wanted, boundOf)} offset 0) found
      where body is not null${beyond}
      order by ${orderByKey(order)} limit $1::integer`;
  },
  ByIds: ({ view, wanted, order, boundOf, shown, after }) => {
    const beyond = after === undefined ? '' : ` and ${isAfter(order, after, 'key')}`;
    const others = wanted.filter((each) => !isIds(each));
    // "offset 0": else a plan that is made once for all values may begin with another filter
    return `select id, ${shown}, key
      from (select *, ${keyIn(order)} from read_model.${view}
        where true${conditionsOf(wanted.filter(isIds), boundOf)} offset 0) found
      where ${recordsIn(order)}${conditionsOf(others, boundOf)}${beyond}
      order by ${orderByKey(order)} limit $1::integer`;
  },
};

/** How a filter is meant, as far as its statement is another one. */
const markOf = (each: Wanted): string => {
  if (each._tag === 'OneOf') return `${each.name}*`;
  return isIndexedWhole(each) ? each.name : `${each.name}-`;
};

/** Filters are bound to parameters in their order, the first of them to `$first`. */
export const boundFrom =
  (wanted: ReadonlyArray<Wanted>, first: number) =>
  (each: Wanted): string =>
    `$${wanted.indexOf(each) + first}::${boundType(each)}`;

const SHARE = 'case when octet_length(body) <= $2::integer then body end as body';

const textOf = (way: Way, measure: Measure, parts: Omit<Parts, 'shown'>): string => {
  if (measure === 'Shares') return rowsBy[way]({ ...parts, shown: SHARE });
  const { order } = parts;
  const ordered = `order by ${orderByKey(order)}`;
  return `select id, case when sum(octet_length(body)) over (${ordered} rows unbounded preceding) <= $2::integer
       then body end, key from (${rowsBy[way]({ ...parts, shown: 'body, place' })}) r ${ordered}`;
};

/**
 * Makes the statements of one view's pages: id, body and key of one record more than asked for, in the order of the list.
 * A body is null when it does not fit by the measure. The id of `after` must be a UUID; there is no row when it is no id
 * of a record.
 */
export const makePageStatements = (listed: Listed) => {
  const { name: view, keys } = listed;
  const named = new Map<string, Pick<Statement, 'name' | 'text'>>();

  const statementOf = (
    way: Way,
    wanted: ReadonlyArray<Wanted>,
    { after, limit, order: asked }: PageRequest,
    measure: Measure,
    mostMet: number,
  ): PageStatement => {
    const order = listOrderOf(listed, asked);
    const filters = wanted.map(markOf).join(' ');
    const page = `${asked.by} ${order.direction}${after === undefined ? '' : ' after'}`;
    const shape = `${way} ${measure} ${page} ${filters}`;
    const bytes = measure === 'Shares' ? Math.floor(PAGE_BYTES / (limit + 1)) : PAGE_BYTES;
    const values = [String(limit + 1), String(bytes), ...wanted.map(({ value }) => value)];
    const parameter = (value: string): string => `$${values.push(value)}`;
    const from = after === undefined ? undefined : cursorSql(view, after, parameter);
    const most = way === 'BoundedWalk' ? `${parameter(String(mostMet))}::integer` : '';
    let known = named.get(shape);
    if (known === undefined) {
      const text = textOf(way, measure, {
        view,
        keys,
        wanted,
        order,
        boundOf: boundFrom(wanted, 3),
        after: from,
        most,
      });
      known = { name: named.size < MOST_NAMED ? `${view} page ${named.size}` : '', text };
      if (known.name !== '') named.set(shape, known);
    }
    return {
      statement: { ...known, values },
      isShort: way === 'Walk' || way === 'ByIds' || (way === 'BoundedWalk' && mostMet <= MOST_SHORT),
    };
  };

  return (wanted: ReadonlyArray<Wanted>, request: PageRequest, measure: Measure): PageStatements => {
    if (wanted.some(isIds)) return { walk: () => statementOf('ByIds', wanted, request, measure, 0), search: undefined };
    const isBounded = !isInOrder(wanted, listOrderOf(listed, request.order));
    return {
      walk: (most) => statementOf(isBounded ? 'BoundedWalk' : 'Walk', wanted, request, measure, most),
      search: isBounded ? statementOf('Search', wanted, request, measure, 0) : undefined,
    };
  };
};

/** Explains two selects, of the rows that match and of those that a walk in the order of the list would meet, as JSON. */
export const estimateStatement = (listed: Listed, wanted: ReadonlyArray<Wanted>, asked: Order): Statement => {
  const { name: view, keys } = listed;
  const boundOf = boundFrom(wanted, 1);
  const { by } = walkOf({ view, wanted, order: listOrderOf(listed, asked), boundOf, after: undefined });
  return {
    name: '',
    text: `explain (format json)
      (select from read_model.${view} where ${jointConditionOf(keys, wanted, boundOf)}) union all
      (select from read_model.${view} where body is not null${by === undefined ? '' : conditionsOf([by], boundOf)})`,
    values: wanted.map(({ value }) => value),
  };
};

/** The columns of a page's rows. */
export const [ID, BODY] = [0, 1];
const KEY = 2;

/** The text of the record by which the list is ordered; undefined in creation order. */
export const keyAt = (rows: Rows, row: number): string | undefined =>
  rows.isNull(row, KEY) ? undefined : rows.value(row, KEY).toString();

/** Whether these are not all rows that were asked for. */
export const hasGivenUp = (rows: Rows): boolean => rows.count > 0 && rows.isNull(rows.count - 1, ID);
