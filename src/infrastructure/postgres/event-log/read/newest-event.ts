import type { Position } from '../../../../event-sourcing/recorded-event.js';
import type { Pages } from './pages.js';

const MAX_REMEMBERED = 64;

/** Events that are searched first, from the newest on, before other ways are tried: about a millisecond. */
const RECENT = 2_000n;
/** Events that one statement searches, far fewer than its time allows. */
const SLICE = 250_000n;
/** Streams of one category whose last events are looked up one by one: a few milliseconds. */
const FEW = 1_000;

/** The newest event of categories that have few streams, or none; undefined when one of them has many. */
const newestOfFew = async (
  pages: Pages,
  categories: ReadonlyArray<string>,
): Promise<{ readonly newest: Position | undefined } | undefined> => {
  let newest: Position | undefined;
  for (const category of categories) {
    const found = await pages.newestOfFew(category, FEW);
    if (found === undefined) return undefined;
    if (found.newest !== undefined && (newest === undefined || found.newest > newest)) newest = found.newest;
  }
  return { newest };
};

/**
 * Position of the newest event of some categories, or of all. Searches from the end of the log, and only what was added
 * since the last call. What is not found among the recent events is of a category without events, with few streams, which
 * are looked up, or of one that has long been quiet: only of that is the rest of the log searched, once.
 */
export const makeNewestEvent = (pages: Pages) => {
  const found = new Map<string, { readonly upTo: Position; readonly newest: Position | undefined }>();

  /** Backwards over the events after `from`, up to `upTo`. */
  const search = async (
    from: Position,
    upTo: Position,
    categories: ReadonlyArray<string> | undefined,
  ): Promise<Position | undefined> => {
    let end = upTo;
    let size = RECENT;
    for (;;) {
      const start = end - size > from ? end - size : from;
      const newest = await pages.newest(start, end, categories);
      if (newest !== undefined || start === from) return newest;
      if (end === upTo && categories !== undefined) {
        const few = await newestOfFew(pages, categories);
        if (few !== undefined) return few.newest;
      }
      [end, size] = [start, SLICE];
    }
  };

  const newestOf = async (categories?: ReadonlyArray<string>): Promise<Position | undefined> => {
    const key = categories?.toSorted().join(' ') ?? '*';
    const upTo = await pages.head();
    const known = found.get(key);
    const isUsable = known !== undefined && known.upTo <= upTo;
    const { upTo: from, newest: before } = isUsable ? known : { upTo: 0n, newest: undefined };
    const newest = (await search(from, upTo, categories)) ?? before;
    if (found.size >= MAX_REMEMBERED) found.clear();
    found.set(key, { upTo, newest });
    return newest;
  };

  /** `forget`: the log was put back, so what was found before is void. */
  return { newestOf, forget: () => found.clear() };
};
