import type { Clock } from '../../../src/event-sourcing/clock.js';
import type { Position } from '../../../src/event-sourcing/recorded-event.js';
import type { RowsFreshness } from '../../../src/read/row-or-fold.js';

/**
 * How long rows that showed all of the log count as fresh, ms. A process that says `X-Projected: false` holds its answer
 * back for longer (`HOLD_MS`), so that by then no other process counts on rows that lack the change.
 */
export const FRESH_MS = 750;

/** Heads that the rows have not reached are thinned out beyond so many. */
const MOST_HEADS = 32;

/** When the log was asked for its head. */
type Asked = { readonly at: number; readonly on: Date };

type Head = Asked & { readonly position: Position };

/** What this process knows of the rows of one read model by comparing them with the head of the log. */
export type Comparison = {
  /** To be called before the head is asked for: a process may stand still until it comes. */
  readonly ask: () => Asked;
  /** The head came. */
  readonly answer: (asked: Asked, position: Position) => void;
  /** Of this very moment, whatever was known at the last comparison: a process may have stood still since. */
  readonly freshness: () => RowsFreshness;
  /** Up to when the rows are known to show everything; undefined before it is known. */
  readonly shownUntil: () => Date | undefined;
  /** The rows are of another log: everything known of them is void. */
  readonly forget: () => void;
};

/** `reached`: the position up to which the rows are complete. */
export const makeComparison = (clock: Clock, reached: () => Position): Comparison => {
  let shown: Head | undefined;
  let unshown: Array<Head> = [];
  let heardAt = -Infinity;

  const newestShown = (): Head | undefined => {
    for (let [head] = unshown; head !== undefined && head.position <= reached(); [head] = unshown) {
      shown = head;
      unshown.shift();
    }
    return shown;
  };

  const isRecent = (at: number): boolean => clock.monotonic() - at < FRESH_MS;

  return {
    ask: () => ({ at: clock.monotonic(), on: clock.date() }),
    answer: (asked, position) => {
      newestShown();
      heardAt = asked.at;
      // a head that is above the newest one was lost
      unshown = unshown.filter((head) => head.position <= position);
      if (unshown.length >= MOST_HEADS) unshown = unshown.filter((_, i) => i % 2 === 0);
      unshown.push({ ...asked, position });
    },
    freshness: () => {
      if (isRecent(newestShown()?.at ?? -Infinity)) return 'Fresh';
      return isRecent(heardAt) ? 'Behind' : 'Unsure';
    },
    shownUntil: () => newestShown()?.on,
    forget: () => {
      shown = undefined;
      unshown = [];
      heardAt = -Infinity;
    },
  };
};
