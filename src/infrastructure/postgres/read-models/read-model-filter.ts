import { INDEXED_CHARACTERS } from '../../../../projections/engine/generation/table.js';
import type { KeyColumn } from '../../../../projections/projection.js';
import type { FilterValues } from '../../../read/queries.js';

type Key = Pick<KeyColumn, 'name' | 'type' | 'filter'>;

/** Values that no record can have: the empty text, and what is no text to Postgres (NUL) or no Unicode at all. */
const MATCHES_NOTHING = /^$|[\0\p{Surrogate}]/u;

const condition = ({ name, type }: Key, value: string): string =>
  type === 'text[]'
    ? `${name} @> array[${value}]::text[]`
    : `left(${name}, ${INDEXED_CHARACTERS}) = left(${value}, ${INDEXED_CHARACTERS}) and ${name} = ${value}`;

/**
 * The SQL conditions of a filter, written as the indexes are, so that Postgres can use them; `bind` turns a value into
 * a parameter or a literal. Undefined when the filter matches nothing.
 */
export const conditionsOf = (
  keys: ReadonlyArray<Key>,
  filter: FilterValues,
  bind: (value: string) => string,
): ReadonlyArray<string> | undefined => {
  const given = keys.flatMap((key) => {
    const value = filter[key.filter];
    return value === undefined ? [] : [{ key, value }];
  });
  if (given.some(({ value }) => MATCHES_NOTHING.test(value))) return undefined;
  return given.map(({ key, value }) => condition(key, bind(value)));
};
