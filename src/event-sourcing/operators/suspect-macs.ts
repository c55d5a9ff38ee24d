import type { EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { StoredEvent } from '../recorded-event.js';
import { macRequiredBy } from './require-mac.js';

/** Events of which nobody can say that the service has sealed them. */
export type SuspectMacs = {
  /** Of the tree, without a `mac` and without a decision behind them which says that they may have none. */
  readonly missing: number;
  /** Whose `mac` does not fit, or is of an unknown key. */
  readonly wrong: number;
};

type Counting = {
  /** None: nothing is counted. */
  readonly keys: EventKeys;
  /** Which events are in the tree. */
  readonly isSealed: (event: StoredEvent) => boolean;
  /** How many events of the tree have passed by before. */
  readonly before: number;
};

type CountedSuspects = { readonly take: (event: StoredEvent) => void; readonly counts: () => SuspectMacs };

/** Counts them while the events of a log pass by in their order. Remembers some bytes for each that has no `mac`. */
export const countSuspects = ({ keys, isSealed, before }: Counting): CountedSuspects => {
  let index = before;
  let wrong = 0;
  let missing: Array<number> = [];

  const take = (event: StoredEvent): void => {
    if (keys.length === 0) return;
    const status = macStatusOf(keys, event);
    if (status === 'DoesNotFit' || status === 'UnknownKey') wrong += 1;
    if (!isSealed(event)) return;
    if (status === 'None') missing.push(index);
    // a decision is about events before itself, which have passed by
    const from = macRequiredBy(event, keys) ?? 0;
    if (from > 0) missing = missing.filter((place) => place >= from);
    index += 1;
  };

  return { take, counts: () => ({ missing: missing.length, wrong }) };
};
