import { storable } from '../../../src/postgres/storable.js';
import type { EventRecord } from '../../../src/read/event-record.js';
import { wordsOf } from '../../../src/read/words.js';
import { wordsLiteral } from '../rows/words-literal.js';

/**
 * Characters of a text that an index holds. An entry of a btree has at most 2,704 bytes, into which 255 characters of four
 * bytes fit; so no value is too long for a row.
 */
export const INDEXED_CHARACTERS = 255;

/** A record with its place and the category of its stream. */
export type NewRow = EventRecord & {
  readonly index: bigint;
  readonly category: string;
  /** The latest time of this row and those before it, ISO 8601. */
  readonly latest: string;
  readonly isLate: boolean;
  /** What the tree has of the event: 32 bytes. */
  readonly leaf: Buffer;
};

const WHOLE_PAIRS = new RegExp(`^.{0,${INDEXED_CHARACTERS}}`, 'su');

/** What an index can hold of a value, and what a filter compares with: the first 255 code points. */
export const indexedPart = (text: string): string =>
  text.length <= INDEXED_CHARACTERS ? text : (WHOLE_PAIRS.exec(text)?.[0] ?? '');

/** Whether that is less than the value: then it alone does not tell what is equal. */
export const isCut = (text: string): boolean => indexedPart(text) !== text;

/** A value of a list as it is kept. */
export const keptTerm = (value: string): string => indexedPart(storable(value));

/** The words of a reason as the text of a `tsvector`; null where there are none. */
export const reasonWords = (reason: string | null): string | null =>
  reason === null ? null : wordsLiteral(wordsOf([reason]));

/** Most fields of an event that are kept: an entry of an index has at most 2,704 bytes. More are no event of ours. */
const MOST_FIELDS = 64;
const MOST_CHARACTERS = 500;

export const keptFields = (fields: ReadonlyArray<string>): ReadonlyArray<string> => {
  const sorted = fields.slice(0, MOST_FIELDS).toSorted();
  let characters = 0;
  return sorted.filter((field) => (characters += field.length) <= MOST_CHARACTERS);
};
