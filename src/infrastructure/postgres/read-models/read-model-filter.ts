import { INDEXED_CHARACTERS } from '../../../../projections/engine/ledger/ledger-rows.js';
import {
  indexedPart,
  indexedText,
  jointText,
  jointTexts,
} from '../../../../projections/engine/postgres/schema/table.js';
import { arrayLiteral, type KeyColumn } from '../../../../projections/projection.js';
import { isUuid } from '../../../event-sourcing/uuid.js';
import type { FilterValues, RecordFilter } from '../../../read/queries.js';
import { wordsOf } from '../../../read/words.js';

type Key = Pick<KeyColumn, 'name' | 'type' | 'filter'>;

/** A key that must have a value. */
type WantedKey = { readonly _tag: 'Key'; readonly name: string; readonly key: Key; readonly value: string };

/** One of several values; `value` is the array of them. */
type OneOf = { readonly name: string; readonly values: ReadonlyArray<string>; readonly value: string };

/** What records must have; `name` is that of the filter, `value` what is bound to a statement. */
export type Wanted =
  | WantedKey
  /** A key that must have one of several short texts. */
  | ({ readonly _tag: 'OneOf'; readonly key: Key } & OneOf)
  | ({ readonly _tag: 'Ids' } & OneOf)
  | { readonly _tag: 'Words'; readonly name: string; readonly value: string }
  | { readonly _tag: 'Since'; readonly name: string; readonly column: string; readonly value: string };

/** A key's value that its index holds as a whole: then what equals it there equals it. */
type WholeKey = WantedKey & { readonly key: { readonly type: 'text' } };

/** Values that no record can have: the empty text, and what is no text to Postgres (NUL) or no Unicode at all. */
const MATCHES_NOTHING = /^$|[\0\p{Surrogate}]/u;

/** Words that a search has at most, so that none takes long to plan. */
const MOST_WORDS = 50;

/** The text format of `tsquery`, for words that consist of letters, marks and digits. Undefined without any. */
const beginningsOf = (text: string): string | undefined => {
  const words = [...wordsOf([text])].slice(0, MOST_WORDS);
  return words.length === 0 ? undefined : words.map((word) => `'${word}':*`).join(' & ');
};

const COLUMNS_OF_TIME = { createdSince: 'created_at', updatedSince: 'updated_at' } as const;

const oneOf = (name: string, values: ReadonlyArray<string>): OneOf => ({ name, values, value: arrayLiteral(values) });

/**
 * The filters that have a value: those by keys in the order of the keys, then the others. Undefined when no record can
 * match them.
 */
export const wantedOf = (
  keys: ReadonlyArray<Key>,
  filter: FilterValues & RecordFilter,
): ReadonlyArray<Wanted> | undefined => {
  const wanted: Array<Wanted> = [];
  for (const key of keys) {
    const { filter: name } = key;
    const value = name === undefined ? undefined : filter[name];
    if (name === undefined || value === undefined) continue;
    if (typeof value !== 'string') {
      const values = value.filter((each) => !MATCHES_NOTHING.test(each));
      if (values.length === 0) return undefined;
      wanted.push({ _tag: 'OneOf', key, ...oneOf(name, values) });
      continue;
    }
    if (MATCHES_NOTHING.test(value)) return undefined;
    wanted.push({ _tag: 'Key', name, key, value });
  }
  if (filter.ids !== undefined) {
    const ids = filter.ids.filter(isUuid);
    if (ids.length === 0) return undefined;
    wanted.push({ _tag: 'Ids', ...oneOf('ids', ids) });
  }
  if (filter.q !== undefined) {
    const value = beginningsOf(filter.q);
    if (value === undefined) return undefined;
    wanted.push({ _tag: 'Words', name: 'q', value });
  }
  for (const name of ['createdSince', 'updatedSince'] as const) {
    const value = filter[name];
    if (value !== undefined) wanted.push({ _tag: 'Since', name, column: COLUMNS_OF_TIME[name], value });
  }
  return wanted;
};

export const isIndexedWhole = (wanted: Wanted): wanted is WholeKey =>
  wanted._tag === 'Key' && wanted.key.type === 'text' && wanted.value.length < INDEXED_CHARACTERS;

export const isIds = ({ _tag }: Wanted): boolean => _tag === 'Ids';

/** The type of what is bound to a statement for a filter. */
export const boundType = ({ _tag }: Wanted): string =>
  _tag === 'OneOf' ? 'text[]' : _tag === 'Ids' ? 'uuid[]' : 'text';

/**
 * The SQL condition of a filter, written as the index is, so that Postgres can use it; `bound` is a parameter or a literal.
 * A second comparison with the whole column is left out where it says nothing new: the planner would take it for a
 * second, independent condition, and believe that fewer rows match.
 */
const conditionOf = (wanted: Wanted, bound: string): string => {
  if (wanted._tag === 'Words') return `words @@ ${bound}::tsquery`;
  if (wanted._tag === 'Since') return `${wanted.column} >= ${bound}`;
  if (wanted._tag === 'Ids') return `id = any(${bound})`;
  const { key } = wanted;
  if (wanted._tag === 'OneOf')
    return key.type === 'text[]' ? `${key.name} && ${bound}` : `${indexedText(key)} = any(${bound})`;
  if (key.type === 'text[]') return `${key.name} @> array[${bound}]`;
  if (isIndexedWhole(wanted)) return `${indexedText(key)} = ${bound}`;
  return `${indexedText(key)} = ${indexedPart(bound)} and ${key.name} = ${bound}`;
};

/** The SQL conditions of filters, each after an "and". */
export const conditionsOf = (wanted: ReadonlyArray<Wanted>, boundOf: (each: Wanted) => string): string =>
  wanted.map((each) => ` and ${conditionOf(each, boundOf(each))}`).join('');

/**
 * The SQL condition of filters, written as the joint index is, so that only that can be used, but for times; `boundOf`
 * gives the parameter of each.
 */
export const jointConditionOf = (
  keys: ReadonlyArray<Key>,
  wanted: ReadonlyArray<Wanted>,
  boundOf: (each: Wanted) => string,
): string => {
  const texts = wanted.flatMap((each) => (each._tag === 'Key' && each.key.type === 'text' ? [each] : []));
  const elements = texts.map((each) => jointText(each.key, indexedPart(boundOf(each))));
  const joint = elements.length === 0 ? [] : [`${jointTexts(keys)} @> array[${elements.join(', ')}]`];
  const whole = texts.filter((each) => !isIndexedWhole(each)).map((each) => `${each.key.name} = ${boundOf(each)}`);
  const others = wanted.filter((each) => each._tag !== 'Key' || each.key.type !== 'text');
  return [...others.map((each) => conditionOf(each, boundOf(each))), ...joint, ...whole].join(' and ');
};
