import { hasJointIndex, indexedText } from '../../../../projections/engine/generation/table.js';
import type { Rows } from '../../../postgres/rows.js';
import type { Statement } from '../../../postgres/statement.js';
import type { PageRequest } from '../../../read/queries.js';
import type { Listed } from './read-model.js';
import { conditionsOf, isIndexedWhole, jointConditionOf, type Wanted } from './read-model-filter.js';

/** A page of more bytes is streamed instead of being read into memory. */
const PAGE_BYTES = 256 * 1024;

/** A page of more records is measured before it is read. */
const UNMEASURED = 100;

/** A bounded walk passes at most so many entries for each record that the page may have. */
const PASSED_FOR_EACH = 25;

/**
 * Which bodies a page gives, so that it never has more than `PAGE_BYTES`. `Shares`: those that have at most an equal share
 * of the bytes, which costs nothing to find out and is all of them but for unusual records. `Sum`: those up to where the
 * bodies together reach `PAGE_BYTES`, which costs as much as to read them.
 */
export type Measure = 'Shares' | 'Sum';

export const measureOf = (limit: number): Measure => (limit <= UNMEASURED ? 'Shares' : 'Sum');

/**
 * How the rows of a page are found. `Walk`: by the one index that has them in order and has no others. `BoundedWalk`: in
 * the order of the first filter's index, passing over what does not match the others; where that meets more entries
 * than `PASSED_FOR_EACH` allows, it gives up, and its last row has no id. `Search`: as the planner sees fit for the
 * values; by several filters where there is a joint index, by that.
 */
type Way = 'Walk' | 'BoundedWalk' | 'Search';

type PageStatement = {
  readonly statement: Statement;
  /** Whether its cost is bounded, and one plan is right for every value. */
  readonly isShort: boolean;
  /** Whether it may give up. */
  readonly isBounded: boolean;
};

const waysOf = (keys: Listed['keys'], wanted: ReadonlyArray<Wanted>): ReadonlyArray<Way> => {
  if (wanted.length <= 1 && wanted.every(isIndexedWhole)) return ['Walk'];
  const isWalkable = wanted.length > 1 && wanted.some(isIndexedWhole) && hasJointIndex(keys);
  return isWalkable ? ['BoundedWalk', 'Search'] : ['Search'];
};

/** What a statement is made of. `$1` is the limit and `$2` bytes. */
type Parts = {
  readonly view: string;
  readonly keys: Listed['keys'];
  readonly wanted: ReadonlyArray<Wanted>;
  /** SQL of the value of a filter. */
  readonly boundOf: (each: Wanted) => string;
  /** SQL of the creation position after which the page begins. */
  readonly after: string;
  /** SQL of what is read of a row beside its id. */
  readonly shown: string;
  /** SQL of the most entries that a bounded walk may meet. */
  readonly most: string;
};

/**
 * The rows after `after`, or those of them that have the value of a text key, in creation order. Written as a range: for
 * an equality the planner could also walk all records, and pass over those that do not match.
 */
const walkOf = ({ view, boundOf, after }: Parts, by: Wanted | undefined) => {
  const from = `from read_model.${view} where body is not null`;
  if (by === undefined) return { rows: `${from} and place > ${after}`, order: 'place', first: 'null' };
  const [column, value] = [indexedText(by.key), boundOf(by)];
  const order = `${column}, place`;
  return { rows: `${from} and ${column} <= ${value} and (${order}) > (${value}, ${after})`, order, first: column };
};

/** SQL of the id and `shown` of one row more than the page may have, in creation order. */
const rowsBy: Readonly<Record<Way, (parts: Parts) => string>> = {
  Walk: (parts) => {
    const { rows, order } = walkOf(parts, parts.wanted[0]);
    return `select id, ${parts.shown} ${rows} order by ${order} limit $1::integer`;
  },
  BoundedWalk: (parts) => {
    const { wanted, boundOf, shown, most } = parts;
    const by = wanted.find(isIndexedWhole);
    const { rows, order, first } = walkOf(parts, by);
    const others = wanted.filter((each) => each !== by);
    // the second part runs only where the first has left room, and has a row when there are more entries than it met
    return `
      (select id, ${shown} from (
        select id, body, ${first} as value, place, true${conditionsOf(others, boundOf)} as is_match
        ${rows} order by ${order} limit ${most}
      ) met where is_match order by value, place limit $1::integer)
      union all
      (select null, ${shown} ${rows} order by ${order} offset ${most} limit 1)
      limit $1::integer`;
  },
  Search: ({ view, keys, wanted, boundOf, shown, after }) => {
    const isJoint = wanted.length > 1 && hasJointIndex(keys);
    // "offset 0": else the planner expects to meet enough of these rows soon, and walks all in creation order
    const [from, conditions] = isJoint
      ? [
          `(select id, body, place from read_model.${view} where ${jointConditionOf(keys, wanted, boundOf)} offset 0) found`,
          '',
        ]
      : [`read_model.${view}`, conditionsOf(wanted, boundOf)];
    return `select id, ${shown} from ${from} where body is not null${conditions} and place > ${after}
      order by place limit $1::integer`;
  },
};

const SHARE = 'case when octet_length(body) <= $2::integer then body end as body';

const textOf = (way: Way, measure: Measure, parts: Omit<Parts, 'shown'>): string =>
  measure === 'Shares'
    ? rowsBy[way]({ ...parts, shown: SHARE })
    : `select id, case when sum(octet_length(body)) over (order by place rows unbounded preceding) <= $2::integer
       then body end from (${rowsBy[way]({ ...parts, shown: 'body, place' })}) r order by place`;

/**
 * Makes the statements of one view's pages: id and body of one record more than asked for, in creation order. A body is
 * null when it does not fit by the measure. `after` must be a UUID; there is no row when it is no id. They are to be run
 * one after the other until one has not given up (`hasGivenUp`).
 */
export const makePageStatements = ({ name: view, keys }: Listed) => {
  // as many as there are combinations of filters
  const texts = new Map<string, string>();

  return (
    wanted: ReadonlyArray<Wanted>,
    { after, limit }: PageRequest,
    measure: Measure,
  ): ReadonlyArray<PageStatement> =>
    waysOf(keys, wanted).map((way) => {
      const filters = wanted.map((each) => `${each.index}${isIndexedWhole(each) ? '' : 'l'}`).join('');
      const name = `${view} ${way} ${measure}${after === undefined ? '' : ' after'} ${filters}`;
      const bytes = measure === 'Shares' ? Math.floor(PAGE_BYTES / (limit + 1)) : PAGE_BYTES;
      const values = [String(limit + 1), String(bytes), ...wanted.map(({ value }) => value)];
      const boundOf = (each: Wanted): string => `$${wanted.indexOf(each) + 3}::text`;
      const parameter = (value: string): string => `$${values.push(value)}`;
      const from =
        after === undefined ? '-1' : `(select place from read_model.${view} where id = ${parameter(after)}::uuid)`;
      const most = way === 'BoundedWalk' ? `${parameter(String(PASSED_FOR_EACH * (limit + 1)))}::integer` : '';
      let text = texts.get(name);
      if (text === undefined) {
        text = textOf(way, measure, { view, keys, wanted, boundOf, after: from, most });
        texts.set(name, text);
      }
      const statement = { name, text, values };
      return { statement, isShort: way !== 'Search' && measure === 'Shares', isBounded: way === 'BoundedWalk' };
    });
};

/** The columns of a page's rows. */
export const [ID, BODY] = [0, 1];

/** Whether these are not all rows that were asked for. */
export const hasGivenUp = (rows: Rows): boolean => rows.count > 0 && rows.isNull(rows.count - 1, ID);
