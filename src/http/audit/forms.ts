import type { RecordedRead } from '../../read/access/access-record.js';
import { readCsvLine, readJson, READS_CSV_HEADER } from '../../read/access/shown-read.js';
import { CSV_HEADER, CSV_HEADER_WITH_DIFF, csvLine, csvLineWithDiff } from '../../read/ledger-csv.js';
import { withIndex } from '../../read/ledger-json.js';
import type { LedgerEntry } from '../../read/ledger.js';
import { requestInvalid } from '../problem/failure.js';
import { JSON_TYPE } from '../response/http-response.js';

/** How events, or rows of another kind, are written into one answer. */
export type Form<Entry = LedgerEntry> = {
  readonly contentType: string;
  readonly begin: string;
  /** Between two of them. */
  readonly separator: string;
  readonly end: string;
  readonly render: (entry: Entry) => string;
};

export const JSON_MEDIA_TYPE = 'application/json';

/** The members of an array. */
const inArray = { contentType: JSON_TYPE, begin: '[', separator: ',', end: ']' };

export const json: Form = { ...inArray, render: withIndex };

export const readsJson: Form<RecordedRead> = { ...inArray, render: readJson };

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';

const isTable = ({ contentType }: Pick<Form, 'contentType'>): boolean => contentType.startsWith(CSV);

/** The same behind a byte order mark; undefined of a form that is no table, which has none. */
export const withMark = <Entry>(form: Form<Entry>): Form<Entry> | undefined =>
  isTable(form) ? { ...form, begin: `\ufeff${form.begin}` } : undefined;

/** The same for events that come with what they changed: in a table it is a column, elsewhere a member of each. */
export const withDiffs = (form: Form): Form =>
  isTable(form) ? { ...form, begin: CSV_HEADER_WITH_DIFF, render: csvLineWithDiff } : form;

export const noMark = requestInvalid({ path: 'bom', message: 'is possible with Accept: text/csv only' });

export const rendered = <Entry>(entries: ReadonlyArray<Entry>, { render, separator }: Form<Entry>): string =>
  entries.map(render).join(separator);

/** By the media types that a client may ask for instead: one JSON text a line, and a table with its header. */
const formsOf = <Entry>(
  toJson: (entry: Entry) => string,
  header: string,
  toCsv: (entry: Entry) => string,
): Readonly<Record<string, Form<Entry>>> => ({
  [NDJSON]: { contentType: NDJSON, begin: '', separator: '', end: '', render: (entry) => `${toJson(entry)}\n` },
  [CSV]: { contentType: `${CSV}; charset=utf-8; header=present`, begin: header, separator: '', end: '', render: toCsv },
});

export const otherForms = formsOf(withIndex, CSV_HEADER, csvLine);

export const otherFormsOfReads = formsOf(readJson, READS_CSV_HEADER, readCsvLine);
