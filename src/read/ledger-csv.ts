import type { LedgerEntry } from './ledger.js';
import { withIndex } from './ledger-json.js';

/** An event as the history of its entity shows it, and its place. */
type ShownEvent = Readonly<Record<string, unknown>> & {
  readonly refs: ReadonlyArray<{ readonly entity: string }>;
};

const COLUMNS = [
  ...['index', 'at', 'user', 'type', 'message', 'entityType', 'entity', 'revision', 'name', 'refs', 'reason'],
  ...['data', 'hash', '_id'],
] as const;

/**
 * What a spreadsheet takes for the beginning of a formula: https://owasp.org/www-community/attacks/CSV_Injection. It may
 * divide at semicolons, tabs and line ends, too, and then takes no notice of quotes: what follows one of these is the beginning
 * of a cell as well, also behind quotes and spaces.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[\t\r\n]|(?:"|[^\S\t\r\n])*[=+\-@＝＋－＠])/gu;

/** The same within JSON, of whose line ends and tabs nothing is left: an escape there leaves the value as it is. */
const FORMULA_IN_JSON = /(;\s*)([=+\-@＝＋－＠])/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string'
    ? value.replace(FORMULA, "'")
    : JSON.stringify(value).replace(
        FORMULA_IN_JSON,
        (_, before: string, character: string) => `${before}${escaped(character)}`,
      );
};

/** RFC 4180 §2. A cell never begins a formula, wherever it is divided: what would be one gets an apostrophe before it. */
const cell = (value: unknown): string => {
  const text = textOf(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Of a table whose events come with what they changed, as JSON in a last column. */
export const CSV_HEADER_WITH_DIFF = `${[...COLUMNS, 'diff'].join(',')}\r\n`;

/** References are ids with a space between them. */
const csvLineOf = (event: ShownEvent, columns: ReadonlyArray<string>): string =>
  `${columns.map((name) => cell(name === 'refs' ? event.refs.map(({ entity }) => entity).join(' ') : event[name])).join(',')}\r\n`;

// reason: the ledger holds what the history shows of events
const shownOf = (entry: LedgerEntry): ShownEvent => JSON.parse(withIndex(entry)) as ShownEvent;

/** One line, with its end. */
export const csvLine = (entry: LedgerEntry): string => csvLineOf(shownOf(entry), COLUMNS);

/** The same of an event that comes with what it changed. */
export const csvLineWithDiff = (entry: LedgerEntry): string => csvLineOf(shownOf(entry), [...COLUMNS, 'diff']);
