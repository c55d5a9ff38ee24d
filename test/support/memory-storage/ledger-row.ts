import { keptFields, keptTerm, type NewRow, reasonWords } from '../../../projections/engine/ledger/ledger-rows.js';
import type { TextRow } from '../../../projections/engine/rows/differing-fields.js';
import type { StoredRow } from '../../../projections/engine/storage.js';
import { textsOf } from '../../../projections/engine/verify/ledger/row-texts.js';
import { arrayLiteral } from '../../../projections/projection.js';
import { storable } from '../../../src/postgres/storable.js';
import { shownArray, shownTime, wellFormed } from './stored-text.js';

/** A row of a ledger as it is stored, and the texts that it is compared by. */
export type LedgerRow = StoredRow &
  Pick<NewRow, 'category' | 'entity' | 'revision' | 'name' | 'actor' | 'at' | 'latest' | 'isLate' | 'body'> & {
    readonly fields: ReadonlyArray<string>;
    readonly refs: ReadonlyArray<string>;
    readonly reasonWords: string | null;
  };

const stored = (text: string): string => wellFormed(storable(text));
const term = (value: string): string => wellFormed(keptTerm(value));

export const storedLedgerRow = (row: NewRow): LedgerRow => {
  const { index, leaf, revision, at, latest, isLate } = row;
  const texts = {
    category: stored(row.category),
    entity: stored(row.entity),
    name: stored(row.name),
    actor: row.actor === null ? null : stored(row.actor),
    body: stored(row.body),
  };
  const fields = keptFields(row.fields).map(term);
  const refs = row.refs.map(term);
  const lists = { fields: JSON.stringify(fields), refs: JSON.stringify(refs) };
  return {
    index,
    leaf,
    ...texts,
    revision,
    at,
    latest,
    isLate,
    fields,
    refs,
    reasonWords: reasonWords(row.reason),
    texts: { ...textsOf({ ...row, ...texts }), ...lists },
  };
};

/** The columns beside the index, as Postgres shows them. */
export const shownLedgerRow = (row: LedgerRow): TextRow => ({
  category: row.category,
  entity: row.entity,
  revision: row.revision.toString(),
  name: row.name,
  actor: row.actor,
  at: row.at === null ? null : shownTime(row.at),
  latest: shownTime(row.latest),
  is_late: String(row.isLate),
  fields: shownArray(arrayLiteral(row.fields)),
  refs: shownArray(arrayLiteral(row.refs)),
  reason_words: row.reasonWords,
  leaf: String.raw`\x${row.leaf.toString('hex')}`,
  body: row.body,
});
