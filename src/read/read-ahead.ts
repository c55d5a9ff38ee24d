/** Pages that are pulled once, at the reader's pace. A reader that stops early calls `return`, which ends the open read. */
export interface Pages<Page> extends AsyncIterableIterator<Page> {
  readonly return: () => Promise<IteratorResult<Page, void>>;
}

const AHEAD = 2;

/**
 * Reads two pages of `source` ahead. A source that fails within them rejects here. Not a generator: `return` of one that
 * was never started would not release `source`.
 */
export const readAhead = async <Page>(source: AsyncGenerator<Page, void, undefined>): Promise<Pages<Page>> => {
  const ahead: Array<Page> = [];
  while (ahead.length < AHEAD) {
    const next = await source.next();
    if (next.done === true) break;
    ahead.push(next.value);
  }
  const pages: Pages<Page> = {
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
