import type * as t from 'io-ts';
import { field } from './field.js';
import { isPlainText, PLAIN_TEXT, TEXT_LIMIT } from './text.js';

/** A part of an address: text, or a number (a house number, a zip code) that is kept as its text. */
export const addressLine = (limit = TEXT_LIMIT): t.Type<string | null, string | null> =>
  field({
    expectation: `text of at most ${limit} characters without control characters, a number, or null`,
    // the number is not described: of two types some generators of clients take the second, and cannot send a text
    schema: { type: ['string', 'null'], maxLength: limit, pattern: PLAIN_TEXT },
    read: (value) => {
      if (value === null || value === '') return null;
      if (typeof value === 'number') return Number.isFinite(value) ? String(value) : undefined;
      return typeof value === 'string' && isPlainText(value, limit) ? value : undefined;
    },
  });
