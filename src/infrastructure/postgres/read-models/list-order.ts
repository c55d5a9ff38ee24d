import { indexedText } from '../../../../projections/engine/postgres/schema/table.js';
import type { Cursor, Order } from '../../../read/queries.js';
import type { Listed } from './read-model.js';

/** The order of a list, in SQL. */
export type ListOrder = {
  /** The text that comes before the place in the order; undefined in creation order. */
  readonly key: string | undefined;
  readonly direction: 'asc' | 'desc';
  /** How a row that comes later compares with one before it. */
  readonly later: '>' | '<';
  /** The place that comes before all places. */
  readonly start: string;
};

/** `Order` names an order of the keys: the HTTP layer takes no other. */
export const listOrderOf = ({ keys }: Pick<Listed, 'keys'>, { by, isDescending }: Order): ListOrder => {
  const column = keys.find(({ sort }) => sort === by);
  return {
    key: column && indexedText(column),
    ...(isDescending
      ? { direction: 'desc', later: '<', start: '9223372036854775807' }
      : { direction: 'asc', later: '>', start: '-1' }),
  };
};

/** Columns, each with the direction. */
export const orderBy = ({ direction }: ListOrder, ...columns: ReadonlyArray<string | undefined>): string =>
  columns.flatMap((column) => (column === undefined ? [] : [`${column} ${direction}`])).join(', ');

/** SQL of a cursor: its parts as parameters or literals. */
export type CursorSql = { readonly place: string; readonly key: string };

/** SQL of the place of a cursor's record, which it keeps when it is deleted; null when there never was one. */
export const placeOf = (view: string, id: string): string => `(select place from read_model.${view} where id = ${id})`;

export const cursorSql = (view: string, { id, key }: Cursor, bind: (value: string) => string): CursorSql => ({
  place: placeOf(view, `${bind(id)}::uuid`),
  key: key === undefined ? 'null' : `${bind(key)}::text`,
});

/**
 * The condition that rows are of records that the order has. A comparison of rows alone does not tell the planner that the
 * key is not null, as that of its index must be.
 */
export const recordsIn = ({ key }: ListOrder): string =>
  key === undefined ? 'body is not null' : `body is not null and ${key} >= ''`;

/**
 * The condition that rows come after a cursor; `column` has the key, where it is not that of the table. No row comes after
 * a cursor that was never a record: its place is null, which a comparison of rows does not look at where the keys differ.
 */
export const isAfter = ({ key, later }: ListOrder, cursor: CursorSql, column = key): string =>
  key === undefined
    ? `place ${later} ${cursor.place}`
    : `((${column}, place) ${later} (${cursor.key}, ${cursor.place}) and ${cursor.place} is not null)`;
