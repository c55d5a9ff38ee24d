import type { PageRequest } from '../../../read/queries.js';
import { type Estimate, type Estimates, KNOWN_MS, listKey } from './estimates.js';
import type { Wanted } from './read-model-filter.js';
import type { Clock } from '../../../event-sourcing/clock.js';

/** Lists of which it is known that a walk gave up. */
const MOST_KNOWN = 1_000;

/** A walk may meet so many times the entries that the planner expects: its estimates are of samples. */
const BEYOND_EXPECTED = 4;

/**
 * A walk may always meet so many entries for each record, which costs 1 to 2 ms for a page of a hundred: where the words of
 * records have fewer than a hundred in common, Postgres takes the beginning of any word for a rare one.
 */
const ALWAYS_MET = 5;

/**
 * Entries that a walk may meet to fill a page of `records`. It is expected to meet `records * all / matching` entries, and a
 * search reads `matching` rows, each at about the cost of an entry.
 */
export const boundOfWalk = (records: number, { matching, all }: Estimate): number => {
  const expected = (records * all) / Math.max(1, matching);
  const wanted = matching <= expected ? 0 : expected * BEYOND_EXPECTED;
  return Math.ceil(Math.max(wanted, records * ALWAYS_MET));
};

type WalkBounds = {
  /** The entries that a walk may meet; 0 when one has just given up. */
  readonly of: (wanted: ReadonlyArray<Wanted>, request: PageRequest) => Promise<number>;
  /** A walk has met as many, and would again. */
  readonly gaveUp: (wanted: ReadonlyArray<Wanted>, request: PageRequest) => void;
};

/** How far the walks of one view go before a search is tried. */
export const makeWalkBounds = (clock: Clock, estimates: Estimates): WalkBounds => {
  const givenUp = new Map<string, number>();
  return {
    of: async (wanted, { limit, order }) => {
      if (clock.monotonic() < (givenUp.get(listKey(wanted, order)) ?? 0)) return 0;
      return boundOfWalk(limit + 1, await estimates(wanted, order));
    },
    gaveUp: (wanted, { order }) => {
      if (givenUp.size >= MOST_KNOWN) givenUp.clear();
      givenUp.set(listKey(wanted, order), clock.monotonic() + KNOWN_MS);
    },
  };
};
