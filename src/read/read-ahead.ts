/** Pages that are pulled once, at the reader's pace. Whoever leaves before the end calls `return`: a read is open. */
export interface Pages<Page> extends AsyncIterableIterator<Page> {
  readonly return: () => Promise<IteratorResult<Page, void>>;
  readonly isEmpty: boolean;
  /** Whether all pages have been read. */
  readonly isWhole: boolean;
}

const AHEAD = 2;

/**
 * Reads up to two pages of `source`, and gives these and then the rest. So a source that fails at once rejects here, and
 * it is known whether there is more than one page. No generator: one that was never begun would not release `source`.
 */
export const readAhead = async <Page>(source: AsyncGenerator<Page, void, undefined>): Promise<Pages<Page>> => {
  const ahead: Array<Page> = [];
  let isWhole = false;
  while (ahead.length < AHEAD && !isWhole) {
    const next = await source.next();
    if (next.done === true) isWhole = true;
    else ahead.push(next.value);
  }
  const pages: Pages<Page> = {
    isEmpty: ahead.length === 0,
    isWhole,
    next: () => {
      const [value] = ahead.splice(0, 1);
      return value === undefined ? source.next() : Promise.resolve({ done: false, value });
    },
    return: () => {
      ahead.length = 0;
      return source.return();
    },
    [Symbol.asyncIterator]: () => pages,
  };
  return pages;
};
