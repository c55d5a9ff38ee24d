import { readCsvLine, readJson, READS_CSV_HEADER } from '../../read/access/shown-read.js';
import { CSV_HEADER, CSV_HEADER_WITH_DIFF, csvLine, csvLineWithDiff } from '../../read/ledger-csv.js';
import { withIndex } from '../../read/ledger-json.js';
import type { LedgerEntry } from '../../read/ledger.js';
import { requestInvalid } from '../problem/failure.js';
import type { KoaContext } from '../request-context.js';
import { JSON_TYPE } from '../response/http-response.js';

/** How events, or rows of another kind, are written into one answer. */
type Form<Entry = LedgerEntry> = {
  readonly contentType: string;
  readonly begin: string;
  /** Between two of them. */
  readonly separator: string;
  readonly end: string;
  readonly render: (entry: Entry) => string;
};

/** The forms of one kind of row by the media types that a client asks for them by; JSON is the first of them. */
type Forms<Entry> = Readonly<Record<string, Form<Entry>>> & { readonly 'application/json': Form<Entry> };

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

/**
 * Rows in parts, a part for each page; each but the first is rendered in a time slice of its own. Throws what keeps pages from
 * coming.
 */
export async function* inParts<Entry>(
  form: Form<Entry>,
  state: Pick<KoaContext['state'], 'timeSlice'>,
  pages: AsyncIterable<ReadonlyArray<Entry>>,
): AsyncGenerator<string> {
  let isFirst = true;
  for await (const entries of pages) {
    const text = rendered(entries, form);
    if (isFirst) yield `${form.begin}${text}`;
    else if (!(await state.timeSlice(text.length))) return;
    else if (entries.length > 0) yield `${form.separator}${text}`;
    isFirst = false;
  }
  yield form.end;
}

/** One JSON text for all, one a line, and a table with its header. */
const formsOf = <Entry>(
  toJson: (entry: Entry) => string,
  header: string,
  toCsv: (entry: Entry) => string,
): Forms<Entry> => ({
  'application/json': { contentType: JSON_TYPE, begin: '[', separator: ',', end: ']', render: toJson },
  [NDJSON]: { contentType: NDJSON, begin: '', separator: '', end: '', render: (entry) => `${toJson(entry)}\n` },
  [CSV]: { contentType: `${CSV}; charset=utf-8; header=present`, begin: header, separator: '', end: '', render: toCsv },
});

export const formsOfEvents = formsOf(withIndex, CSV_HEADER, csvLine);

export const formsOfReads = formsOf(readJson, READS_CSV_HEADER, readCsvLine);

/** The media types beside JSON. */
export const otherTypes = (forms: Forms<never>): ReadonlyArray<string> => Object.keys(forms).slice(1);

/** The form of the media type that a client prefers; JSON where it accepts none of them. */
export const formOf = <Entry>(forms: Forms<Entry>, type: string | undefined): Form<Entry> =>
  forms[type ?? ''] ?? forms['application/json'];
