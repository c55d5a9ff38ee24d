import { macStatusOf } from '../event-mac.js';
import type { EventStore } from '../event-store.js';
import type { Position, StoredEvent } from '../recorded-event.js';
import { SEAL_STREAM } from './decision-events.js';
import { isUnsealedDecision } from './unsealed-decisions.js';

/** Which events of a log have no `mac`. */
export type SurveyedMacs = {
  /** Events of the tree, and how many of them have none. */
  readonly sealed: number;
  readonly withoutMac: number;
  /** How many decisions of operators outside of the tree have none. */
  readonly decisionsWithoutMac: number;
  /** Behind the last one of the tree that has none. */
  readonly from: number;
  /** How many of all these stand behind an event that has a `mac`, and the first of them. */
  readonly behind: number;
  readonly firstBehind: StoredEvent | undefined;
  /** Where the decisions are that say which events may have none. */
  readonly indexOf: (decision: Pick<StoredEvent, 'revision'>) => number | undefined;
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
  let [sealed, withoutMac, decisionsWithoutMac, from, behind] = [0, 0, 0, 0, 0];
  let firstBehind: StoredEvent | undefined;
  let hasSeenMac = false;
  let read = 0;
  const decisions = new Map<bigint, number>();

  const look = (event: StoredEvent): void => {
    const isInTree = isSealed(event);
    if (isInTree && event.stream === SEAL_STREAM && event.type === 'EventMacRequired')
      decisions.set(event.revision, sealed);
    if (isInTree) sealed += 1;
    if (macStatusOf([], event) !== 'None') {
      hasSeenMac = true;
      return;
    }
    if (isInTree) [withoutMac, from] = [withoutMac + 1, sealed];
    else if (isUnsealedDecision(event)) decisionsWithoutMac += 1;
    else return;
    if (!hasSeenMac) return;
    behind += 1;
    firstBehind ??= event;
  };

  for await (const { events } of store.readAll({ after: 'start' })) {
    if (signal?.aborted === true) return undefined;
    events.forEach(look);
    read += events.length;
    const last = events.at(-1);
    if (last !== undefined) onPage?.(read, last.position);
  }
  const indexOf: SurveyedMacs['indexOf'] = ({ revision }) => decisions.get(revision);
  return { sealed, withoutMac, decisionsWithoutMac, from, behind, firstBehind, indexOf };
};
