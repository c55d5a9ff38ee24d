import type { Page } from '../../src/read/queries.js';

/** The JSON texts of a page that is small enough to be held. */
export const recordsOf = ({ records }: Page): ReadonlyArray<string> => {
  if (!('open' in records)) return records;
  throw new Error('the page is streamed');
};
