import type { KeyColumn } from '../../../projection.js';
import type { Generation } from '../../generation/generation.js';
import { INDEXED_CHARACTERS } from '../../ledger/ledger-rows.js';

/** The table of a generation: it has its name. */
export const tableOf = ({ name }: Pick<Generation, 'name'>): string => `read_model.${name}`;

/** Columns of every read model that the log alone determines. */
export const BASE_COLUMNS = [
  'id',
  'place',
  'revision',
  'parked',
  'body',
  'kept',
  'created_at',
  'updated_at',
  'words',
] as const;

/** All columns of every read model, in the order in which they are written: `snapshot` depends on a key, too. */
export const WRITTEN_COLUMNS = [...BASE_COLUMNS, 'snapshot'] as const;

type AnyKey = Pick<KeyColumn, 'name' | 'type' | 'filter'>;

const columnOf = ({ name, type }: Pick<AnyKey, 'name' | 'type'>): string => `${name} ${type}`;

/** As much of a text as an index holds; `text` is SQL. */
export const indexedPart = (text: string): string => `left(${text}, ${INDEXED_CHARACTERS})`;

/** What the index of a text key holds of it, in the order of its code points (which in UTF-8 is that of its bytes). */
export const indexedText = ({ name }: Pick<AnyKey, 'name'>): string => `(${indexedPart(name)} collate "C")`;

/** A text of a read model's text keys as the joint index holds it; `value` is SQL. Null when the value is. */
export const jointText = ({ name }: Pick<AnyKey, 'name'>, value: string): string => `'${name}=' || ${value}`;

/** The text keys of a row that lists are filtered by, as the joint index holds them: one array. */
export const jointTexts = (keys: ReadonlyArray<AnyKey>): string => {
  const texts = keys
    .filter(({ type, filter }) => type === 'text' && filter !== undefined)
    .map((key) => jointText(key, indexedPart(key.name)));
  return `(array[${texts.join(', ')}]::text[])`;
};

/**
 * Has the words and all keys of a row, so it finds the rows of several filters together, however frequent each of them is
 * by itself. What is new waits in a list that every search reads: one of 512 KiB costs a search 1 ms, the default of
 * 4 MiB 5 ms.
 */
const jointIndex = (keys: ReadonlyArray<AnyKey>): string => {
  const arrays = keys.filter(({ type }) => type === 'text[]').map(({ name }) => name);
  return `using gin (${['words', ...arrays, jointTexts(keys)].join(', ')}) with (gin_pending_list_limit = 512)`;
};

type Index = { readonly by: string; readonly on: string };

/** Pages of the table of which an index entry says between which times their rows were updated. */
const PAGES_OF_TIME = 2;

/**
 * With `place` an index gives the rows of a text key in creation order; null keys are never searched for. The time of an
 * update changes with each: an index with an entry for each row would have every update write all indexes anew (it could
 * not be heap-only), and take three times as long.
 */
const indexesOf = (keys: ReadonlyArray<AnyKey>): ReadonlyArray<Index> => [
  { by: 'place', on: '(place)' },
  ...keys
    .filter(({ type }) => type === 'text')
    .map((key) => ({ by: key.name, on: `(${indexedText(key)}, place) where ${key.name} is not null` })),
  { by: 'creation', on: '(created_at, place)' },
  { by: 'update', on: `using brin (updated_at) with (pages_per_range = ${PAGES_OF_TIME})` },
  { by: 'keys', on: jointIndex(keys) },
];

/**
 * The table of one generation. `place` is the creation position, the position of the entity's first event, by which
 * lists are ordered; `kept` is the hidden state, `snapshot` what signs the row (`projections/snapshot.ts`). Times are ISO
 * 8601 in UTC, whose order is that of their code points; `words` is what the record can be found by. The indexes for lists
 * are created apart (`createIndexes`), because over existing rows that is faster than row by row.
 */
export const createTable = (table: string, keys: ReadonlyArray<Pick<AnyKey, 'name' | 'type'>>): string => `
create table ${table} (
  id uuid primary key,
  place bigint not null,
  revision bigint not null,
  parked boolean not null,
  body text,
  kept text,
  created_at text collate "C",
  updated_at text collate "C",
  words tsvector,
  snapshot text,
  ${keys.map(columnOf).join(', ')}
) with (fillfactor = 85);`;

/**
 * A statement for each index that lists need, which does nothing when it exists; `name`: the table without its schema.
 */
export const createIndexes = (table: string, name: string, keys: ReadonlyArray<AnyKey>): ReadonlyArray<string> =>
  indexesOf(keys).map(({ by, on }) => `create index if not exists ${name}_by_${by} on ${table} ${on}`);

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
