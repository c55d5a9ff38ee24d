import { csvLineOf } from './csv-line.js';
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

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** Of a table whose events come with what they changed, as JSON in a last column. */
export const CSV_HEADER_WITH_DIFF = `${[...COLUMNS, 'diff'].join(',')}\r\n`;

/** References are ids with a space between them. */
const lineOf = (event: ShownEvent, columns: ReadonlyArray<string>): string =>
  csvLineOf(columns.map((name) => (name === 'refs' ? event.refs.map(({ entity }) => entity).join(' ') : event[name])));

// reason: the ledger holds what the history shows of events
const shownOf = (entry: LedgerEntry): ShownEvent => JSON.parse(withIndex(entry)) as ShownEvent;

/** One line, with its end. */
export const csvLine = (entry: LedgerEntry): string => lineOf(shownOf(entry), COLUMNS);

/** The same of an event that comes with what it changed. */
export const csvLineWithDiff = (entry: LedgerEntry): string => lineOf(shownOf(entry), [...COLUMNS, 'diff']);
