import { isJsonObject, objectIn } from '../canonical-json.js';
import { macStatusOf } from '../event-mac.js';
import { hashIn } from '../hash-chain.js';
import { categoryOf, type StoredEvent } from '../recorded-event.js';
import { DECISIONS } from './decision-events.js';
import { isSealedDecision } from './sealed-decision.js';

/** Decisions remembered until it is known whether they were recorded again. There are few: operators make them one by one. */
const REMEMBERED = 10_000;

/** Finds the decisions that are not in the tree, where anybody who can write into the database can remove them. */
type UnsealedDecisions = {
  /** Of the events of a log, or of one stream, in their order. Gives whether it is one of which only `rest` tells. */
  readonly take: (event: StoredEvent) => boolean;
  /** Those that were not recorded in the tree again, the oldest first. */
  readonly rest: () => ReadonlyArray<StoredEvent>;
};

/** An id can stand in several events; the hash is of one, or that one has another. */
const keyOf = (stream: string, id: string, hash: string | undefined): string => `${stream} ${id} ${hash ?? ''}`;

const keyOfEvent = (event: StoredEvent): string => keyOf(event.stream, event.id, hashIn(event));

/** The key of the event that a decision in the tree records again; undefined where it records none. */
const recordedAgain = ({ stream, data }: StoredEvent): string | undefined => {
  const original = objectIn(data)?.['original'];
  const { id, hash } = isJsonObject(original) ? original : {};
  return typeof id === 'string' && typeof hash === 'string' ? keyOf(stream, id, hash) : undefined;
};

/** Whether a decision in the tree records this event again. */
export const isAgain = (decision: StoredEvent, original: StoredEvent): boolean =>
  isSealedDecision(decision) && recordedAgain(decision) === keyOfEvent(original);

export const isUnsealedDecision = (event: StoredEvent): boolean =>
  categoryOf(event.stream) === DECISIONS && !isSealedDecision(event);

export const makeUnsealedDecisions = (): UnsealedDecisions => {
  const unsealed = new Map<string, ReadonlyArray<StoredEvent>>();
  let remembered = 0;
  return {
    take: (event) => {
      if (categoryOf(event.stream) !== DECISIONS) return false;
      if (isSealedDecision(event)) {
        unsealed.delete(recordedAgain(event) ?? '');
        return false;
      }
      // what such a one said counts no more, so that nobody is to record it again
      if (event.type === 'EventMacRequired' && macStatusOf([], event) !== 'None') return false;
      if (remembered >= REMEMBERED) return false;
      remembered += 1;
      const key = keyOfEvent(event);
      unsealed.set(key, [...(unsealed.get(key) ?? []), event]);
      return true;
    },
    rest: () => [...unsealed.values()].flat(),
  };
};
