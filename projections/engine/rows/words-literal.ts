import { isAsciiText } from '../../../src/event-sourcing/byte-string.js';

const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

/**
 * Words as the text format of `tsvector` has them: each once, in the order of their bytes, so that it is also what Postgres
 * shows of the value. Null when there are none. Words consist of letters, marks and digits (`src/read/words.ts`).
 */
export const wordsLiteral = (words: ReadonlySet<string>): string | null => {
  if (words.size === 0) return null;
  const all = [...words];
  const sorted = all.every(isAsciiText) ? all.sort() : all.sort(byBytes);
  return `'${sorted.join("' '")}'`;
};
