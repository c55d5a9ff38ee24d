import { CSV_HEADER, CSV_HEADER_WITH_DIFF, csvLine, csvLineWithDiff } from '../../read/ledger-csv.js';
import { withIndex } from '../../read/ledger-json.js';
import type { LedgerEntry } from '../../read/ledger.js';
import { JSON_TYPE } from '../response/http-response.js';

/** How events are written into one answer. */
export type Form = {
  readonly contentType: string;
  readonly begin: string;
  /** Between two events. */
  readonly separator: string;
  readonly end: string;
  readonly render: (entry: LedgerEntry) => string;
};

export const json: Form = { contentType: JSON_TYPE, begin: '[', separator: ',', end: ']', render: withIndex };

const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';

const isTable = ({ contentType }: Form): boolean => contentType.startsWith(CSV);

/** The same behind a byte order mark; undefined of a form that is no table, which has none. */
export const withMark = (form: Form): Form | undefined =>
  isTable(form) ? { ...form, begin: `\ufeff${form.begin}` } : undefined;

/** The same for events that come with what they changed: in a table it is a column, elsewhere a member of each. */
export const withDiffs = (form: Form): Form =>
  isTable(form) ? { ...form, begin: CSV_HEADER_WITH_DIFF, render: csvLineWithDiff } : form;

/** By the media types that a client may ask for instead. */
export const otherForms: Readonly<Record<string, Form>> = {
  [NDJSON]: { contentType: NDJSON, begin: '', separator: '', end: '', render: (entry) => `${withIndex(entry)}\n` },
  [CSV]: {
    contentType: `${CSV}; charset=utf-8; header=present`,
    begin: CSV_HEADER,
    separator: '',
    end: '',
    render: csvLine,
  },
};
