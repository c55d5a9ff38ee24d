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

/** A cell that begins so is a formula to a spreadsheet: https://owasp.org/www-community/attacks/CSV_Injection */
const FORMULA = /^[=+\-@\t\r]/;

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** RFC 4180 §2. A cell never begins a formula: it gets an apostrophe before it. */
const cell = (value: unknown): string => {
  const text = textOf(value);
  const harmless = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
};

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** References are ids with a space between them. */
const csvLineOf = (event: ShownEvent): string =>
  `${COLUMNS.map((name) => cell(name === 'refs' ? event.refs.map(({ entity }) => entity).join(' ') : event[name])).join(',')}\r\n`;

/** One line, with its end. */
export const csvLine = (entry: LedgerEntry): string =>
  // reason: the ledger holds what the history shows of events
  csvLineOf(JSON.parse(withIndex(entry)) as ShownEvent);
