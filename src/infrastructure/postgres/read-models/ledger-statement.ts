import { createHash } from 'node:crypto';
import {
  ACTOR,
  ENTITY,
  MORE_REFS,
  NAME,
  PLACE,
  REFS_IN_ORDER,
} from '../../../../projections/engine/postgres/schema/ledger-table.js';
import { indexedPart, isCut } from '../../../../projections/engine/ledger/ledger-rows.js';
import type { Statement } from '../../../postgres/statement.js';
import type { LedgerFilter, LedgerPageRequest } from '../../../read/ledger.js';

/** Exclusive. */
type Places = { readonly after: bigint; readonly before: bigint };

/** The places within which a page looks for rows, and those within which it also looks for late rows. */
export type Bounds = { readonly all: Places; readonly late: Places | undefined };

/** Collects the values of a statement. */
class Values {
  readonly all: Array<string> = [];

  bind(value: string): string {
    this.all.push(value);
    return `$${this.all.length}`;
  }
}

/** All of the words, which consist of letters, marks and digits, in the text format of `tsquery`. */
const hasWords = (values: Values, words: ReadonlyArray<string>): string =>
  `reason_words @@ ${values.bind(words.map((word) => `'${word}'`).join(' & '))}::tsquery`;

/** What a body with this value contains: where that is a value of the data, `hasValue` tells. */
const mayHaveValue = (values: Values, value: string): string =>
  `strpos(body, ${values.bind(JSON.stringify(value).slice(1, -1))}) > 0`;

/** A text is compared by what an index holds of it, and also as a whole where that is less. */
const equals = (values: Values, column: string, indexed: string, value: string): string => {
  const part = indexedPart(value);
  const byIndex = `${indexed} = ${values.bind(part)}`;
  return part === value ? byIndex : `${byIndex} and ${column} = ${values.bind(value)}`;
};

/** Lists have no more of a text than an index holds; the body of the event has all of it. */
const isListed = (values: Values, column: 'fields' | 'refs', value: string): string => {
  const listed = `${column} @> array[${values.bind(indexedPart(value))}]`;
  return isCut(value) ? `${listed} and strpos(body, ${values.bind(JSON.stringify(value))}) > 0` : listed;
};

/**
 * One way to find rows in the order of the ledger, by an index: those for which `condition` holds. With `each`, those of
 * every `each.value` one after the other.
 */
type Lead = { readonly each?: string; readonly condition: string };

/** The distinct values of a column, found by stepping from one to the next by an index, past all rows of each. */
const distinct = (view: string, column: string, condition: string): string => `
  with recursive walk as (
    (select ${column} as value from ${view} where ${condition} order by ${column} limit 1)
    union all
    select (select ${column} from ${view} where ${condition} and ${column} > walk.value order by ${column} limit 1)
    from walk where walk.value is not null
  )
  select value from walk where value is not null`;

/** A row that refers to the same twice is found once. */
const refLeads = (bound: string): ReadonlyArray<Lead> => {
  const places = Array.from({ length: REFS_IN_ORDER }, (_, i) => `refs[${i + 1}]`);
  const inOrder = places.map((place, i) =>
    [`${place} = ${bound}`, ...places.slice(0, i).map((before) => `${before} <> ${bound}`)].join(' and '),
  );
  const further = `${MORE_REFS} and refs @> array[${bound}] and ${bound} <> all(array[${places.join(', ')}])`;
  return [...inOrder, further].map((condition) => ({ condition }));
};

/** What a statement is made for: the name of the view, and all categories or that of the wanted kind of entities. */
type Asked = {
  readonly view: string;
  readonly categories: ReadonlyArray<string>;
  readonly filter: LedgerFilter;
};

/**
 * The ways that together find all rows of a filter: by the value that is likely to be had by the fewest events. Undefined:
 * in the order of the table.
 */
const leadsOf = ({ view, filter, categories }: Asked, values: Values): ReadonlyArray<Lead> | undefined => {
  const { entity, ref, reason, user, name, field, entityType } = filter;
  if (entity !== undefined) return [{ condition: equals(values, 'entity', ENTITY, entity) }];
  if (ref !== undefined) return refLeads(values.bind(indexedPart(ref)));
  if (reason !== undefined) return [{ condition: hasWords(values, reason) }];
  if (user !== undefined) return [{ condition: equals(values, 'actor', ACTOR, user) }];
  if (name !== undefined) {
    const named = equals(values, 'name', NAME, name);
    return categories.map((category) => ({ condition: `category = ${values.bind(category)} and ${named}` }));
  }
  if (field !== undefined) {
    const has = `each.value @> array[${values.bind(indexedPart(field))}]`;
    return [{ each: distinct(view, 'fields', 'true'), condition: `${has} and fields = each.value` }];
  }
  if (entityType === undefined) return undefined;
  return categories.map((category) => {
    const own = `category = ${values.bind(category)}`;
    return { each: distinct(view, NAME, own), condition: `${own} and ${NAME} = each.value` };
  });
};

const conditionsOf = ({ filter, categories }: Asked, values: Values): ReadonlyArray<string> => {
  const { entityType, entity, user, name, field, ref, reason, value, since, until } = filter;
  return [
    ...(entityType === undefined
      ? []
      : [`category = any(array[${categories.map((one) => values.bind(one)).join(', ')}])`]),
    ...(entity === undefined ? [] : [equals(values, 'entity', ENTITY, entity)]),
    ...(user === undefined ? [] : [equals(values, 'actor', ACTOR, user)]),
    ...(name === undefined ? [] : [equals(values, 'name', NAME, name)]),
    ...(field === undefined ? [] : [isListed(values, 'fields', field)]),
    ...(ref === undefined ? [] : [isListed(values, 'refs', ref)]),
    ...(reason === undefined ? [] : [hasWords(values, reason)]),
    ...(value === undefined ? [] : [mayHaveValue(values, value)]),
    ...(since === undefined ? [] : [`at >= ${values.bind(since.toISOString())}::timestamptz`]),
    ...(until === undefined ? [] : [`at < ${values.bind(until.toISOString())}::timestamptz`]),
  ];
};

/** Bytes of the bodies of a page, but for its first. */
export const PAGE_BYTES = 1024 * 1024;

/**
 * A statement that gives the rows of a page and one more: place, and body. From where the bodies are more than
 * `size` bytes together, there is none.
 */
export const pageStatement = (
  asked: Asked,
  { direction, limit, size = PAGE_BYTES }: Pick<LedgerPageRequest, 'direction' | 'limit' | 'size'>,
  bounds: Bounds,
): Statement => {
  const { view } = asked;
  const values = new Values();
  const order = direction === 'forwards' ? 'asc' : 'desc';
  const most = `${values.bind(String(limit + 1))}::integer`;
  const conditions = conditionsOf(asked, values);
  const rowsBy = (place: string, own: ReadonlyArray<string>): string =>
    `select idx, body from ${view} where ${[...own, ...conditions].join(' and ')} order by ${place} ${order} limit ${most}`;
  const within = (place: string, { after, before }: Places): ReadonlyArray<string> => [
    `${place} > ${values.bind(after.toString())}::bigint`,
    `${place} < ${values.bind(before.toString())}::bigint`,
  ];
  const leads = leadsOf(asked, values)?.map(({ each, condition }) => {
    const rows = rowsBy(PLACE, [condition, ...within(PLACE, bounds.all)]);
    return each === undefined ? `(${rows})` : `(select idx, body from (${each}) as each, lateral (${rows}) as of_each)`;
  });
  const parts = leads ?? [`(${rowsBy('idx', within('idx', bounds.all))})`];
  const late = bounds.late === undefined ? [] : [`(${rowsBy('idx', ['is_late', ...within('idx', bounds.late)])})`];
  const all = [...parts, ...late].join(' union all ');
  const text = `
    select idx, case when bytes_before < ${size} then body end from (
      select idx, body, sum(octet_length(body)) over (order by idx ${order} rows unbounded preceding)
        - octet_length(body) as bytes_before
      from (select idx, body from (${all}) as found order by idx ${order} limit ${most}) as page
    ) as measured order by idx ${order}`;
  return { name: nameOf(text), text, values: [...values.all] };
};

/** The columns behind place and body that `rowOf` (ledger-row.ts) compares filters with. */
const COMPARED = [
  ...['category', 'entity', 'name', 'actor', 'to_jsonb(fields)', 'to_jsonb(refs)', 'reason_words'],
  'floor(extract(epoch from at) * 1000)::bigint',
];

/** A statement that gives rows behind a place, and one more, as `pageStatement` does, with what filters compare. */
export const rowsAfterStatement = (view: string, after: bigint, limit: number): Statement => ({
  name: `${view} rows after`,
  text: `
    select idx, case when bytes_before < ${PAGE_BYTES} then body end, ${COMPARED.join(', ')} from (
      select *, sum(octet_length(body)) over (order by idx rows unbounded preceding)
        - octet_length(body) as bytes_before
      from (select * from ${view} where idx > $1::bigint order by idx limit $2::integer) as page
    ) as measured order by idx`,
  values: [after.toString(), String(limit + 1)],
});

/** There are as many texts as combinations of filters. */
const nameOf = (text: string): string => `ledger ${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;

/** A statement that gives the place of the first row whose `latest` is not before a time, or the number of rows. */
export const placeOfTime = (view: string, time: Date): Statement => {
  const text = `
    with recursive search as (
      select 0::bigint as low, coalesce((select idx + 1 from ${view} order by idx desc limit 1), 0) as high
      union all
      select case when found then low else middle + 1 end, case when found then middle else high end
      from (select low, high, (low + high) / 2 as middle from search where low < high) as step,
        lateral (select latest >= $1::timestamptz as found from ${view} where idx = middle) as row
    )
    select low from search where low >= high`;
  return { name: `${view} place of time`, text, values: [time.toISOString()] };
};
