import type { Ledger } from '../../../../projections/ledger.js';
import { indexedPart, isCut } from '../../../../projections/engine/ledger/ledger-rows.js';
import type { TextRow } from '../../../postgres/statement.js';
import { hasValue } from '../../../read/has-value.js';
import type { LedgerFilter, LedgerRow } from '../../../read/ledger.js';
import type { Sought } from '../../../read/queries.js';

// reason: a column of texts, as Postgres writes it as JSON
const textsIn = (json: string | null | undefined): ReadonlyArray<string> => JSON.parse(json ?? '[]') as Array<string>;

/** Whether a value is the one that is sought, or one of those. */
export const isSought = (sought: Sought | undefined, value: string | null | undefined): boolean => {
  if (sought === undefined || sought === value) return true;
  return typeof sought !== 'string' && typeof value === 'string' && sought.includes(value);
};

const has = (wanted: string | undefined, values: ReadonlyArray<string>, body: string): boolean =>
  wanted === undefined ||
  (values.includes(indexedPart(wanted)) && (!isCut(wanted) || body.includes(JSON.stringify(wanted))));

/** The words in the text of a `tsvector`, which are never escaped: they consist of letters, marks and digits. */
const hasWords = (wanted: ReadonlyArray<string> | undefined, literal: string | null | undefined): boolean => {
  if (wanted === undefined) return true;
  const words = new Set((literal ?? '').slice(1, -1).split("' '"));
  return wanted.every((word) => words.has(word));
};

const isFrom = ({ since, until }: LedgerFilter, at: number | undefined): boolean =>
  (since === undefined || (at !== undefined && at >= since.getTime())) &&
  (until === undefined || (at !== undefined && at < until.getTime()));

/** Makes a row of the columns of `rowsAfterStatement`; its filters mean what they mean in `pageStatement`. */
export const makeRowOf = (kinds: Ledger['kinds']): ((row: TextRow) => LedgerRow) => {
  const entityTypes = new Map(kinds.map(({ category, entityType }) => [category, entityType]));
  return ([index, body, category, entity, name, actor, inFields, inRefs, words, ms]) => {
    const entityType = entityTypes.get(category ?? '');
    const fields = textsIn(inFields);
    const refs = textsIn(inRefs);
    const at = ms === null || ms === undefined ? undefined : Number(ms);
    return {
      index: BigInt(index ?? -1),
      body: body ?? '',
      isIn: (filter) =>
        isSought(filter.entity, entity) &&
        isSought(filter.user, actor) &&
        isSought(filter.name, name) &&
        isSought(filter.entityType, entityType) &&
        has(filter.field, fields, body ?? '') &&
        has(filter.ref, refs, body ?? '') &&
        hasWords(filter.reason, words) &&
        isFrom(filter, at) &&
        (filter.value === undefined || hasValue(body ?? '', filter.value)),
    };
  };
};
