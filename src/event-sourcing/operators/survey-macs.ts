import { macStatusOf } from '../event-mac.js';
import type { EventStore } from '../event-store.js';
import type { Position, StoredEvent } from '../recorded-event.js';

/** Which events of a log have no `mac`. */
export type SurveyedMacs = {
  /** Events of the tree, and how many of them have none. */
  readonly sealed: number;
  readonly withoutMac: number;
  /** Behind the last one of the tree that has none. */
  readonly from: number;
  /** How many of them stand behind one that has a `mac`, and the first of these with its index. */
  readonly behind: number;
  readonly firstBehind: { readonly event: StoredEvent; readonly index: number } | undefined;
};

type Surveying = {
  /** Which events are in the tree. */
  readonly isSealed: (event: StoredEvent) => boolean;
  /** After every page: events so far, and the position of the last one. */
  readonly onPage?: (events: number, reached: Position) => void;
  readonly signal?: AbortSignal;
};

/** Looks at all events of a log. No `mac` is checked. Undefined when `signal` ended it. Throws `StoreUnavailable`. */
export const surveyMacs = async (
  store: Pick<EventStore, 'readAll'>,
  { isSealed, onPage, signal }: Surveying,
): Promise<SurveyedMacs | undefined> => {
  let [sealed, withoutMac, from, behind] = [0, 0, 0, 0];
  let firstBehind: SurveyedMacs['firstBehind'];
  let read = 0;
  for await (const { events } of store.readAll({ after: 'start' })) {
    if (signal?.aborted === true) return undefined;
    for (const event of events.filter(isSealed)) {
      const index = sealed;
      sealed += 1;
      if (macStatusOf([], event) !== 'None') continue;
      // those before it had a mac, unless all of them had none
      if (index > withoutMac) {
        behind += 1;
        firstBehind ??= { event, index };
      }
      withoutMac += 1;
      from = sealed;
    }
    read += events.length;
    const last = events.at(-1);
    if (last !== undefined) onPage?.(read, last.position);
  }
  return { sealed, withoutMac, from, behind, firstBehind };
};
