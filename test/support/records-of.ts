import type { Page } from '../../src/read/queries.js';

/** The JSON texts in the bytes of one JSON array. */
export const textsIn = (array: Buffer): ReadonlyArray<string> =>
  // reason: a list is an array
  (JSON.parse(array.toString('utf8')) as ReadonlyArray<unknown>).map((record) => JSON.stringify(record));

/** The JSON texts of a page that is small enough to be held. */
export const recordsOf = ({ records }: Page): ReadonlyArray<string> => {
  if (Buffer.isBuffer(records)) return textsIn(records);
  throw new Error('the page is streamed');
};
