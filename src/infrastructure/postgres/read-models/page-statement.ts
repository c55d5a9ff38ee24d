import { indexedText } from '../../../../projections/engine/generation/table.js';
import type { Statement } from '../../../postgres/statement.js';
import type { PageRequest } from '../../../read/queries.js';
import type { Listed } from './read-model.js';
import { conditionOf, isIndexedWhole, type Wanted } from './read-model-filter.js';

/** A page of more bytes is streamed instead of being read into memory. */
const PAGE_BYTES = 256 * 1024;

/** A page of more records is measured before it is read. */
const UNMEASURED = 100;

/**
 * Which bodies a page gives, so that it never has more than `PAGE_BYTES`. `Shares`: those that have at most an equal share
 * of the bytes, which costs nothing to find out and is all of them but for unusual records. `Sum`: those up to where the
 * bodies together reach `PAGE_BYTES`, which costs as much as to read them.
 */
export type Measure = 'Shares' | 'Sum';

export const measureOf = (limit: number): Measure => (limit <= UNMEASURED ? 'Shares' : 'Sum');

type PageStatement = {
  readonly statement: Statement;
  /** Whether one index has the rows in order and has no others, so that one plan is right for every value. */
  readonly isWalk: boolean;
};

/** At most one, of a text key whose values the index holds whole: then its index gives the rows in creation order. */
const isWalk = (wanted: ReadonlyArray<Wanted>, measure: Measure): boolean =>
  measure === 'Shares' && wanted.length <= 1 && wanted.every(isIndexedWhole);

/** What the rows are ordered by, their conditions, and where they begin; `$1` is the limit and `$2` bytes. */
const rowsOf = (view: string, wanted: ReadonlyArray<Wanted>, walks: boolean, isFollowing: boolean): string => {
  const [only] = wanted;
  const after = isFollowing ? `(select place from read_model.${view} where id = $${wanted.length + 3}::uuid)` : '-1';
  const from = `from read_model.${view} where body is not null`;
  if (walks && only !== undefined) {
    // written as a range: for an equality the planner could also walk by creation, and pass over all that do not match
    const column = indexedText(only.key);
    const range = `${column} <= $3::text and (${column}, place) > ($3::text, ${after})`;
    return `${from} and ${range} order by ${column}, place limit $1::integer`;
  }
  const conditions = wanted.map((each, index) => ` and ${conditionOf(each, `$${index + 3}::text`)}`).join('');
  return `${from}${conditions} and place > ${after} order by place limit $1::integer`;
};

const textOf = (rows: string, measure: Measure): string =>
  measure === 'Shares'
    ? `select id, case when octet_length(body) <= $2::integer then body end ${rows}`
    : `select id, case when sum(octet_length(body)) over (order by place rows unbounded preceding) <= $2::integer
       then body end from (select id, body, place ${rows}) r order by place`;

/**
 * Makes the statements of one view's pages: id and body of one record more than asked for, in creation order. A body is
 * null when it does not fit by the measure. `after` must be a UUID; there is no row when it is no id.
 */
export const makePageStatements = ({ name: view }: Pick<Listed, 'name'>) => {
  // as many as there are combinations of filters
  const texts = new Map<string, string>();

  return (wanted: ReadonlyArray<Wanted>, { after, limit }: PageRequest, measure: Measure): PageStatement => {
    const walks = isWalk(wanted, measure);
    const filters = wanted.map((each) => `${each.index}${isIndexedWhole(each) ? '' : 'l'}`).join('');
    const name = `${view} ${measure}${after === undefined ? '' : ' after'} ${filters}`;
    let text = texts.get(name);
    if (text === undefined) {
      text = textOf(rowsOf(view, wanted, walks, after !== undefined), measure);
      texts.set(name, text);
    }
    const bytes = measure === 'Shares' ? Math.floor(PAGE_BYTES / (limit + 1)) : PAGE_BYTES;
    const values = [String(limit + 1), String(bytes), ...wanted.map(({ value }) => value)];
    if (after !== undefined) values.push(after);
    return { statement: { name, text, values }, isWalk: walks };
  };
};
