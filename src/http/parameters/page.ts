import { isPlainText, PLAIN_TEXT } from '../fields/text.js';
import { parameter } from './parameter.js';

/** Most records or events of one page. */
export const PAGE_LIMIT = 1000;

/** How many records or events a page has at most. */
export const Limit = parameter<number>({
  expectation: `a whole number from 1 to ${PAGE_LIMIT}`,
  meaning: 'Makes a page of at most so many; without it, all of them.',
  schema: { type: 'integer', minimum: 1, maximum: PAGE_LIMIT },
  read: (value) => {
    const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0;
    return limit >= 1 && limit <= PAGE_LIMIT ? limit : undefined;
  },
});

/** Enough for a cursor with the longest name. */
const CURSOR_LIMIT = 2_048;

/** The record before the page (`cursor.ts`); the read model knows whether there ever was one. */
export const After = parameter<string>({
  expectation: 'the _id of a record, or under sort what the Link of a page has given',
  meaning: 'Starts after the record with this _id; under `sort`, after that of a cursor.',
  schema: { type: 'string', minLength: 1, maxLength: CURSOR_LIMIT, pattern: PLAIN_TEXT },
  read: (value) => (value !== '' && isPlainText(value, CURSOR_LIMIT) ? value : undefined),
});
