import {
  INDEXED_CHARACTERS,
  indexedText,
  jointText,
  jointTexts,
} from '../../../../projections/engine/generation/table.js';
import type { KeyColumn } from '../../../../projections/projection.js';
import type { FilterValues } from '../../../read/queries.js';

type Key = Pick<KeyColumn, 'name' | 'type' | 'filter'>;

/** A filter with a value: which of the keys it is, and what a record must have there. */
export type Wanted = { readonly index: number; readonly key: Key; readonly value: string };

/** Values that no record can have: the empty text, and what is no text to Postgres (NUL) or no Unicode at all. */
const MATCHES_NOTHING = /^$|[\0\p{Surrogate}]/u;

/** The filters that have a value, in the order of the keys. Undefined when no record can match them. */
export const wantedOf = (keys: ReadonlyArray<Key>, filter: FilterValues): ReadonlyArray<Wanted> | undefined => {
  const wanted: Array<Wanted> = [];
  for (const [index, key] of keys.entries()) {
    const value = filter[key.filter];
    if (value === undefined) continue;
    if (MATCHES_NOTHING.test(value)) return undefined;
    wanted.push({ index, key, value });
  }
  return wanted;
};

/** Whether the index holds the whole of a value: then what equals it there equals it. */
export const isIndexedWhole = ({ key, value }: Wanted): boolean =>
  key.type === 'text' && value.length < INDEXED_CHARACTERS;

/**
 * The SQL condition of a filter, written as the index is, so that Postgres can use it; `bound` is a parameter or a literal.
 * A second comparison with the whole column is left out where it says nothing new: the planner would take it for a
 * second, independent condition, and believe that fewer rows match.
 */
const conditionOf = (wanted: Wanted, bound: string): string => {
  const { key } = wanted;
  if (key.type === 'text[]') return `${key.name} @> array[${bound}]`;
  if (isIndexedWhole(wanted)) return `${indexedText(key)} = ${bound}`;
  return `${indexedText(key)} = left(${bound}, ${INDEXED_CHARACTERS}) and ${key.name} = ${bound}`;
};

/** The SQL conditions of filters, each after an "and". */
export const conditionsOf = (wanted: ReadonlyArray<Wanted>, boundOf: (each: Wanted) => string): string =>
  wanted.map((each) => ` and ${conditionOf(each, boundOf(each))}`).join('');

/**
 * The SQL condition of several filters, written as the joint index is, so that only that can be used; `boundOf` gives the
 * parameter of each.
 */
export const jointConditionOf = (
  keys: ReadonlyArray<Key>,
  wanted: ReadonlyArray<Wanted>,
  boundOf: (each: Wanted) => string,
): string => {
  const texts = wanted.filter(({ key }) => key.type === 'text');
  const elements = texts.map((each) => jointText(each.key, `left(${boundOf(each)}, ${INDEXED_CHARACTERS})`));
  const whole = texts.filter((each) => !isIndexedWhole(each)).map((each) => `${each.key.name} = ${boundOf(each)}`);
  const arrays = wanted.filter(({ key }) => key.type === 'text[]').map((each) => conditionOf(each, boundOf(each)));
  return [...arrays, `${jointTexts(keys)} @> array[${elements.join(', ')}]`, ...whole].join(' and ');
};
