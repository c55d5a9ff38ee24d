import type { KeyColumn } from '../../projection.js';

/** Columns of every read model that the log alone determines. */
export const BASE_COLUMNS = ['id', 'place', 'revision', 'parked', 'body', 'kept'] as const;

/** All columns of every read model, in the order in which they are written: `snapshot` depends on a key, too. */
export const WRITTEN_COLUMNS = [...BASE_COLUMNS, 'snapshot'] as const;

type AnyKey = Pick<KeyColumn, 'name' | 'type'>;

/**
 * Characters of a key that an index holds. An entry of a btree has at most 2,704 bytes, into which 255 characters of
 * four bytes fit; so no value is too long for a row.
 */
export const INDEXED_CHARACTERS = 255;

const columnOf = ({ name, type }: AnyKey): string => `${name} ${type}`;

/** What the index of a text key holds of it. */
export const indexedText = ({ name }: Pick<AnyKey, 'name'>): string => `left(${name}, ${INDEXED_CHARACTERS})`;

// with `place` the index gives the rows of a filter in creation order; null keys are never searched for
const indexed = (key: AnyKey): string =>
  key.type === 'text[]' ? `using gin (${key.name})` : `(${indexedText(key)}, place) where ${key.name} is not null`;

/**
 * The table of one generation. `place` is the creation position, the position of the entity's first event, by which
 * lists are ordered; `kept` is the hidden state, `snapshot` what signs the row (`projections/snapshot.ts`). The indexes
 * for lists are created apart (`createIndexes`), because over existing rows that is faster than row by row.
 */
export const createTable = (table: string, keys: ReadonlyArray<AnyKey>): string => `
create table ${table} (
  id uuid primary key,
  place bigint not null,
  revision bigint not null,
  parked boolean not null,
  body text,
  kept text,
  snapshot text,
  ${keys.map(columnOf).join(', ')}
) with (fillfactor = 85);`;

/**
 * A statement for each index that lists need, which does nothing when it exists; `name`: the table without its schema.
 */
export const createIndexes = (table: string, name: string, keys: ReadonlyArray<AnyKey>): ReadonlyArray<string> =>
  [{ column: 'place', on: '(place)' }, ...keys.map((key) => ({ column: key.name, on: indexed(key) }))].map(
    ({ column, on }) => `create index if not exists ${name}_by_${column} on ${table} ${on}`,
  );

/**
 * A statement for each text key, which does nothing when it was run before. From then on `analyze` collects how frequent
 * which values are as the index holds them. Without that the planner takes every value for rare, and reads a hundred
 * thousand entries of one filter to combine them with the one entry of another. (Of arrays `analyze` does it anyway.)
 */
export const createStatistics = (table: string, name: string, keys: ReadonlyArray<AnyKey>): ReadonlyArray<string> =>
  keys
    .filter(({ type }) => type === 'text')
    .map(
      (key) =>
        `create statistics if not exists read_model.${name}_of_${key.name} on (${indexedText(key)}) from ${table}`,
    );

/** Points the view that queries read at a table. Run it in the transaction that changes the roles. */
export const pointView = (view: string, table: string): string =>
  `drop view if exists ${view}; create view ${view} as select * from ${table};`;
