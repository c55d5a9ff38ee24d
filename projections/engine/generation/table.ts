import type { KeyColumn } from '../../projection.js';

/** Columns that the rows of every read model have, in the order in which they are written. */
export const BASE_COLUMNS = ['id', 'place', 'revision', 'parked', 'body', 'kept'] as const;

type AnyKey = Pick<KeyColumn, 'name' | 'type'>;

/**
 * Longest part of a key that an index holds, in characters. A btree entry ends at 2,704 bytes; 255 characters of
 * four bytes fit, and no value of any length makes a row impossible.
 */
export const INDEXED_CHARACTERS = 255;

const columnOf = ({ name, type }: AnyKey): string => `${name} ${type}`;

// creation order inside a filter comes out of the index; null keys (never asked for) stay outside
const indexed = ({ name, type }: AnyKey): string =>
  type === 'text[]' ? `using gin (${name})` : `(left(${name}, ${INDEXED_CHARACTERS}), place) where ${name} is not null`;

/**
 * The table of one generation: `place` is the creation position (of the entity's first event: order and cursor of lists), `kept` the hidden state. Without
 * the indexes that lists need (`createIndexes`), which are made faster over rows than row by row.
 */
export const createTable = (table: string, keys: ReadonlyArray<AnyKey>): string => `
create table ${table} (
  id uuid primary key,
  place bigint not null,
  revision bigint not null,
  parked boolean not null,
  body text,
  kept text,
  ${keys.map(columnOf).join(', ')}
) with (fillfactor = 85);`;

/** One statement for each index that lists need and that is missing; `name` is the table's, without its schema. */
export const createIndexes = (table: string, name: string, keys: ReadonlyArray<AnyKey>): ReadonlyArray<string> =>
  [{ column: 'place', on: '(place)' }, ...keys.map((key) => ({ column: key.name, on: indexed(key) }))].map(
    ({ column, on }) => `create index if not exists ${name}_by_${column} on ${table} ${on}`,
  );

/** Points readers at a table; in one transaction with the change of roles. */
export const pointView = (view: string, table: string): string =>
  `drop view if exists ${view}; create view ${view} as select * from ${table};`;
