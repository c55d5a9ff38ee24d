import type { LedgerEntry } from '../../read/ledger.js';
import { harmless } from '../output.js';

/** What the table shows of an event; null where its envelope does not tell. */
type Shown = {
  readonly at: string | null;
  readonly user: string | null;
  readonly message: string;
  readonly entityType: string;
  readonly entity: string;
};

const WIDTHS = { index: 8, at: 20, user: 12, message: 30 } as const;

/** Of a line with all columns: an entity is named by its type and a UUID. */
const WIDE = 122;

/** A text in so many columns, cut where it is longer. */
const cell = (text: string, width: number): string => {
  const characters = Array.from(harmless(text));
  const fitting = characters.length > width ? [...characters.slice(0, width - 1), '…'] : characters;
  return fitting.join('') + ' '.repeat(width - fitting.length);
};

const lineOf = (
  [index, at, user, message, entity]: readonly [string, string, string, string, string],
  columns: number,
): string => {
  const begin = `${index.padStart(WIDTHS.index)}  ${cell(at, WIDTHS.at)}  ${cell(user, WIDTHS.user)}`;
  if (columns >= WIDE) return `${begin}  ${cell(message, WIDTHS.message)}  ${harmless(entity)}\n`;
  const left = Math.max(WIDTHS.user, columns - begin.length - 2);
  const indent = ' '.repeat(WIDTHS.index + 2);
  return `${begin}  ${cell(message, left).trimEnd()}\n${indent}${harmless(entity)}\n`;
};

/** The head of a table for a terminal of so many columns: what it names comes in one line, or in two where it is narrow. */
export const tableHead = (columns: number): string =>
  lineOf(['index', 'at (UTC)', 'user', 'what happened', 'to'], columns);

/** An event in the table. Whole seconds are enough for a reader: the index tells the order. */
export const tableLine = ({ index, body }: LedgerEntry, columns: number): string => {
  const { at, user, message, entityType, entity } = JSON.parse(body) as Shown; // reason: the ledger holds what we show
  const time = at === null ? '-' : at.replace(/\.\d+Z$/, 'Z');
  return lineOf([String(index), time, user ?? '-', message, `${entityType} ${entity}`], columns);
};
