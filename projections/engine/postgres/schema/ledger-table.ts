import { indexedPart } from './table.js';

/** Columns of a ledger, in the order in which they are written. */
export const LEDGER_COLUMNS = [
  { name: 'idx', type: 'bigint' },
  { name: 'category', type: 'text' },
  { name: 'entity', type: 'text' },
  { name: 'revision', type: 'bigint' },
  { name: 'name', type: 'text' },
  { name: 'actor', type: 'text' },
  { name: 'at', type: 'timestamptz' },
  { name: 'latest', type: 'timestamptz' },
  { name: 'is_late', type: 'boolean' },
  { name: 'fields', type: 'text[]' },
  { name: 'refs', type: 'text[]' },
  { name: 'reason_words', type: 'tsvector' },
  { name: 'leaf', type: 'bytea' },
  { name: 'body', type: 'text' },
] as const;

/** Texts of a row as their indexes hold them. */
export const ACTOR = indexedPart('actor');
export const ENTITY = indexedPart('entity');
export const NAME = indexedPart('name');

/**
 * The place of a row as the indexes of values hold it. A statement that orders by it can only be answered in order by such
 * an index: the planner cannot take the primary key instead, and walk past a million rows of other values.
 */
export const PLACE = '(idx + 0)';

/** Of so many references each has an index of its own, in the order of the ledger. Few events have more. */
export const REFS_IN_ORDER = 2;

/** References beyond those. */
export const MORE_REFS = `cardinality(refs) > ${REFS_IN_ORDER}`;

/**
 * The table of one generation of a ledger. Rows are only ever appended. `latest` is the latest `at` up to the row, so it
 * never decreases, and a time is found by it in a few steps; `is_late` marks rows earlier by more than `LATE_MS`.
 * `fields` and `refs` hold texts of at most `INDEXED_CHARACTERS`. `reason_words` are those of the reason, null without one. `leaf` is what the tree has of the event (`eventLeaf`).
 * Bodies are not compressed: that would cost more than
 * the rest of their row.
 */
export const createLedgerTable = (table: string): string => `
create table ${table} (
  idx bigint primary key,
  category text not null,
  entity text not null,
  revision bigint not null,
  name text not null,
  actor text,
  at timestamptz,
  latest timestamptz not null,
  is_late boolean not null,
  fields text[] not null,
  refs text[] not null,
  reason_words tsvector,
  leaf bytea not null,
  body text not null
);
alter table ${table} alter column body set storage external;`;

type Index = { readonly by: string; readonly on: string };

const refIndexes: ReadonlyArray<Index> = Array.from({ length: REFS_IN_ORDER }, (_, i) => i + 1).map((number) => ({
  by: `ref_${number}`,
  on: `((refs[${number}]), ${PLACE}) where refs[${number}] is not null`,
}));

const indexes: ReadonlyArray<Index> = [
  { by: 'actor', on: `(${ACTOR}, ${PLACE}) where actor is not null` },
  { by: 'entity', on: `(${ENTITY}, ${PLACE})` },
  { by: 'name', on: `(category, ${NAME}, ${PLACE})` },
  // there are few sets of fields that change together
  { by: 'fields', on: `(fields, ${PLACE})` },
  ...refIndexes,
  { by: 'more_refs', on: `using gin (refs) where ${MORE_REFS}` },
  // the planner takes the first for words that many reasons have, and the second for others
  { by: 'reason', on: `(${PLACE}) where reason_words is not null` },
  {
    by: 'reason_words',
    on: 'using gin (reason_words) with (gin_pending_list_limit = 512) where reason_words is not null',
  },
  { by: 'lateness', on: '(idx) where is_late' },
];

export const createLedgerIndexes = (table: string, name: string): ReadonlyArray<string> =>
  indexes.map(({ by, on }) => `create index if not exists ${name}_by_${by} on ${table} ${on}`);
