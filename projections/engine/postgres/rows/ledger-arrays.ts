import { makeBoundedCache } from '../../../../src/event-sourcing/bounded-cache.js';
import { bigintArray, booleanArray, byteaArray, textArray } from '../../../../src/postgres/binary-array.js';
import { storable } from '../../../../src/postgres/storable.js';
import { arrayLiteral } from '../../../projection.js';
import { keptFields, keptTerm, type NewRow, reasonWords } from '../../ledger/ledger-rows.js';
import { LEDGER_COLUMNS } from '../schema/ledger-table.js';

/** Types in which values are sent, where it is not that of their column. */
const SENT: Readonly<Record<string, string>> = { 'text[]': 'text', timestamptz: 'text', tsvector: 'text' };

/**
 * SQL that appends rows from arrays, one for each column, bound from `$first` on. Writes nothing when `source` has no row.
 */
export const insertLedgerRows = (table: string, first: number, source: string): string => {
  const names = LEDGER_COLUMNS.map(({ name }) => name).join(', ');
  const arrays = LEDGER_COLUMNS.map(({ type }, i) => `$${first + i}::${SENT[type] ?? type}[]`);
  const values = LEDGER_COLUMNS.map(({ name, type }) =>
    SENT[type] === undefined ? `u.${name}` : `u.${name}::${type}`,
  );
  return `insert into ${table} (${names}) select ${values.join(', ')} from ${source}, unnest(${arrays.join(', ')}) u (${names})`;
};

const terms = (values: ReadonlyArray<string>): string => arrayLiteral(values.map(keptTerm));

/** Lists of fields of which the literal is remembered: clients change the same fields again and again. */
const REMEMBERED = 500;

const literals = makeBoundedCache<string, string>(REMEMBERED, (literal) => 2 * literal.length);

const hasNul = (text: string): boolean => text.includes('\0');

/** The literal of a list of fields. */
const fieldTerms = (fields: ReadonlyArray<string>): string => {
  // with a separator within them, or nothing between them, different lists would have the same key
  if (fields.length === 0 || fields.some(hasNul)) return terms(keptFields(fields));
  const key = fields.join('\0');
  const known = literals.get(key);
  if (known !== undefined) return known;
  const literal = terms(keptFields(fields));
  literals.set(key, literal);
  return literal;
};

/** How many arrays `insertLedgerRows` binds. */
export const LEDGER_ARRAYS = LEDGER_COLUMNS.length;

/** The arrays that `insertLedgerRows` binds, of texts that Postgres takes: a row that it rejects would stop the ledger. */
export const ledgerArrays = (rows: ReadonlyArray<NewRow>): Array<Buffer> => [
  bigintArray(rows.map(({ index }) => index)),
  textArray(rows.map(({ category }) => storable(category))),
  textArray(rows.map(({ entity }) => storable(entity))),
  bigintArray(rows.map(({ revision }) => revision)),
  textArray(rows.map(({ name }) => storable(name))),
  textArray(rows.map(({ actor }) => (actor === null ? null : storable(actor)))),
  textArray(rows.map(({ at }) => at)),
  textArray(rows.map(({ latest }) => latest)),
  booleanArray(rows.map(({ isLate }) => isLate)),
  textArray(rows.map(({ fields }) => fieldTerms(fields))),
  textArray(rows.map(({ refs }) => terms(refs))),
  textArray(rows.map(({ reason }) => reasonWords(reason))),
  byteaArray(rows.map(({ leaf }) => leaf)),
  textArray(rows.map(({ body }) => storable(body))),
];
