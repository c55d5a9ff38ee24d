import { hash as digest } from 'node:crypto';
import { storable } from '../../../../src/postgres/storable.js';
import { keptFields, keptTerm, type NewRow, reasonWords } from '../../ledger/ledger-rows.js';

/** Columns of a row that the log determines, beside its place and its leaf. */
export const COMPARED = [
  'category',
  'entity',
  'revision',
  'name',
  'actor',
  'at',
  'latest',
  'is_late',
  'fields',
  'refs',
  'reason_words',
  'body',
] as const;

export type ComparedColumn = (typeof COMPARED)[number];

/** A row as texts: times in seconds since 1970, lists as JSON, a large body as its SHA-256. */
export type RowTexts = Readonly<Record<ComparedColumn, string | null>>;

/** Bodies of more bytes are compared by their digests, so that a page of rows stays small. */
export const LARGE_BODY = 16_384;

/** ISO 8601 as Postgres's `extract(epoch from …)` writes it. */
const epochText = (instant: string): string => {
  const ms = Date.parse(instant);
  const whole = Math.abs(ms);
  return `${ms < 0 ? '-' : ''}${Math.floor(whole / 1_000)}.${String(whole % 1_000).padStart(3, '0')}000`;
};

const bodyText = (body: string): string =>
  body.length * 3 <= LARGE_BODY || Buffer.byteLength(body) <= LARGE_BODY
    ? ` ${body}`
    : `sha256:${digest('sha256', body, 'hex')}`;

/** What the row of an event must have. */
export const textsOf = (row: NewRow): RowTexts => ({
  category: storable(row.category),
  entity: storable(row.entity),
  revision: row.revision.toString(),
  name: storable(row.name),
  actor: row.actor === null ? null : storable(row.actor),
  at: row.at === null ? null : epochText(row.at),
  latest: epochText(row.latest),
  is_late: String(row.isLate),
  fields: JSON.stringify(keptFields(row.fields).map(keptTerm)),
  refs: JSON.stringify(row.refs.map(keptTerm)),
  reason_words: reasonWords(row.reason),
  body: bodyText(storable(row.body)),
});

/** A text as it comes out of the database: half of a surrogate pair is no UTF-8. */
const wellFormed = (text: string): string => Buffer.from(text).toString();

const isSame = (expected: string | null, stored: string | null): boolean =>
  expected === stored || (expected !== null && stored !== null && wellFormed(expected) === stored);

const NONE: ReadonlyArray<ComparedColumn> = [];

/** The columns in which a row is not as it must be. */
export const differingColumns = (expected: RowTexts, stored: RowTexts): ReadonlyArray<ComparedColumn> => {
  for (const column of COMPARED)
    if (expected[column] !== stored[column]) return COMPARED.filter((each) => !isSame(expected[each], stored[each]));
  return NONE;
};

/** The texts of a row from its columns, which come in the order of `COMPARED`. An object made at once is read fastest. */
export const textsFrom = (columns: ReadonlyArray<string | null>, first: number): RowTexts => {
  const text = (at: number): string | null => columns[first + at] ?? null;
  return {
    category: text(0),
    entity: text(1),
    revision: text(2),
    name: text(3),
    actor: text(4),
    at: text(5),
    latest: text(6),
    is_late: text(7),
    fields: text(8),
    refs: text(9),
    reason_words: text(10),
    body: text(11),
  };
};
