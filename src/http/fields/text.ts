import type * as t from 'io-ts';
import { field } from './field.js';

/** Longest text of a field without a limit of its own, in Unicode code points. */
export const TEXT_LIMIT = 255;

// C0 control characters and lone surrogates; all other Unicode is kept byte for byte.
const INVALID = /[^\P{Cc}\u007f-\u009f]|\p{Cs}/u;
const INVALID_IN_LINES = /[^\P{Cc}\t\n\r\u007f-\u009f]|\p{Cs}/u;

// The same rules for the document, without lone surrogates, which not every regular expression engine knows.
export const PLAIN_TEXT = '^[^\\u0000-\\u001f]*$';
/** What nobody sees, for a class of characters, of those that every engine knows: `isBlank` knows some more. */
export const UNSEEN =
  '\\s\\u0000-\\u0020\\u007f-\\u00a0\\u00ad\\u0300-\\u036f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f' +
  '\\u200b-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u20d0-\\u20ff\\u2800\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb';
const NON_BLANK = `[^\\u0000-\\u001f]*[^${UNSEEN}][^\\u0000-\\u001f]*`;
const PATTERN_OF_LINES = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f]*$';

const isWithin = (text: string, limit: number): boolean =>
  text.length <= limit || (text.length <= 2 * limit && Array.from(text).length <= limit);

/** Whether a text has at most `limit` code points and no C0 control character or lone surrogate. */
export const isPlainText = (value: string, limit: number): boolean => isWithin(value, limit) && !INVALID.test(value);

/** Braille's blank and the musical null notehead are symbols to Unicode. Marks are seen only with what bears them. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]/u;

/** Whether a text has nothing that anybody sees: white space, controls, invisible characters, marks on nothing. */
export const isBlank = (value: string): boolean => !SEEN.test(value);

/** An optional text; null or an empty text unsets it. */
export const text = (): t.Type<string | null, string | null> =>
  field({
    expectation: `text of at most ${TEXT_LIMIT} characters without control characters, or null`,
    schema: { type: ['string', 'null'], maxLength: TEXT_LIMIT, pattern: PLAIN_TEXT },
    read: (value) => {
      if (value === null || value === '') return null;
      return typeof value === 'string' && isPlainText(value, TEXT_LIMIT) ? value : undefined;
    },
  });

/** An optional text of several lines: with tab, line feed and carriage return. */
export const linesOfText = (limit: number): t.Type<string | null, string | null> =>
  field({
    expectation: `text of at most ${limit} characters without control characters but tabs and line ends, or null`,
    schema: { type: ['string', 'null'], maxLength: limit, pattern: PATTERN_OF_LINES },
    read: (value) => {
      if (value === null || value === '') return null;
      return typeof value === 'string' && isWithin(value, limit) && !INVALID_IN_LINES.test(value) ? value : undefined;
    },
  });

/** A text that can be neither unset nor blank. */
export const requiredText = (): t.Type<string, string> =>
  field({
    expectation: `non-blank text of at most ${TEXT_LIMIT} characters without control characters`,
    schema: { type: 'string', maxLength: TEXT_LIMIT, pattern: `^${NON_BLANK}$` },
    read: (value) =>
      typeof value === 'string' && !isBlank(value) && isPlainText(value, TEXT_LIMIT) ? value : undefined,
  });

/** An optional text that is not blank; null or an empty text unsets it. */
export const nonBlankText = (limit: number): t.Type<string | null, string | null> =>
  field({
    expectation: `non-blank text of at most ${limit} characters without control characters, or null`,
    schema: { type: ['string', 'null'], maxLength: limit, pattern: `^(${NON_BLANK})?$` },
    read: (value) => {
      if (value === null || value === '') return null;
      return typeof value === 'string' && !isBlank(value) && isPlainText(value, limit) ? value : undefined;
    },
  });
