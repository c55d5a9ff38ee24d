import type { Position } from '../../../../event-sourcing/recorded-event.js';
import type { Pages } from './pages.js';

const MAX_REMEMBERED = 64;

/**
 * Position of the newest event of some categories, or of all. Remembers what it found, so that only the first call
 * searches a log whose newest events are of other categories.
 */
export const makeNewestEvent = (pages: Pages) => {
  const found = new Map<string, { readonly upTo: Position; readonly newest: Position | undefined }>();

  return async (categories?: ReadonlyArray<string>): Promise<Position | undefined> => {
    const key = categories?.toSorted().join(' ') ?? '*';
    const upTo = await pages.head();
    const known = found.get(key);
    const isUsable = known !== undefined && known.upTo <= upTo;
    const { upTo: from, newest: before } = isUsable ? known : { upTo: 0n, newest: undefined };
    const newest = (await pages.newest(from, upTo, categories)) ?? before;
    if (found.size >= MAX_REMEMBERED) found.clear();
    found.set(key, { upTo, newest });
    return newest;
  };
};
