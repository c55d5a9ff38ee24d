import { either as E } from 'fp-ts';
import type { EventKey, EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { countsAsDecision } from './counts-as-decision.js';
import { decisionSerde, SEAL_STREAM } from './decision-events.js';
import type { StoredEvent } from '../recorded-event.js';
import type { Runtime } from '../runtime.js';
import { recordDecision } from './record-decision.js';
import { endOfDecisions, readSealDecisions } from './read-decisions.js';

type StreamReader = Pick<EventStore, 'readStream'>;

/** A decision that counts, and the index in the tree from which on every event must have a `mac`. */
type MacRequired = { readonly from: number; readonly event: StoredEvent };

/** The index in the tree of a decision in the stream of the seal; undefined where it is not known. */
type IndexOfDecision = (event: StoredEvent) => Promise<number | undefined> | number | undefined;

const UNKNOWN: IndexOfDecision = () => undefined;

/** The index that an event says where it is such a decision, and counts; undefined of all others. */
export const macRequiredBy = (event: StoredEvent, keys: EventKeys): number | undefined => {
  if (event.stream !== SEAL_STREAM || event.type !== 'EventMacRequired') return undefined;
  if (!countsAsDecision(event, keys) || macStatusOf([], event) === 'None') return undefined;
  const decoded = decisionSerde.decode(event);
  if (E.isLeft(decoded) || decoded.right.event.type !== 'EventMacRequired') return undefined;
  const { from } = decoded.right.event.data;
  return Number.isSafeInteger(from) && from >= 0 ? from : undefined;
};

/** With what they say, whatever their place. */
async function* readMacRequired(store: StreamReader, keys: EventKeys): AsyncGenerator<MacRequired, void> {
  for await (const event of readSealDecisions(store, 'EventMacRequired')) {
    const from = macRequiredBy(event, keys);
    if (from !== undefined) yield { from, event };
  }
}

/**
 * The operators' decision about which events must have a `mac`: of several the one with the largest index. One counts when
 * it is in the tree and has a `mac` of one of the keys: whoever can write into the database can neither make one nor move
 * it. It counts for the events before itself alone: nobody can vouch for those to come. Without keys, its `mac` is not
 * checked. Throws `StoreUnavailable`, and what `indexOf` throws.
 */
export const findMacRequired = async (
  store: StreamReader,
  keys: EventKeys,
  indexOf: IndexOfDecision = UNKNOWN,
): Promise<MacRequired | undefined> => {
  let found: MacRequired | undefined;
  for await (const { from: said, event } of readMacRequired(store, keys)) {
    const from = Math.min(said, (await indexOf(event)) ?? said);
    if (found === undefined || from > found.from) found = { from, event };
  }
  return found;
};

/**
 * Tells which events must have a `mac`: with keys all of them, but for those before the index that a decision says. Without
 * keys, those behind such a decision alone. Throws `StoreUnavailable`, and what `indexOf` throws.
 */
export const findMacRule = async (
  store: StreamReader,
  keys: EventKeys,
  indexOf: IndexOfDecision,
): Promise<(index: number) => boolean> => {
  const from = (await findMacRequired(store, keys, indexOf))?.from ?? (keys.length > 0 ? 0 : Infinity);
  return (index) => index >= from;
};

/** The same rule while the events of a log pass by in their order, of which nobody knows the indexes before. */
type PassingMacRule = {
  /** Of the next event. One whose index is not known may be before that of a decision. */
  readonly isRequired: (index: number | undefined) => boolean;
  /**
   * Of the same event. Gives the index that it says where it is a decision that vouches for events behind itself, which it
   * cannot; undefined of all others.
   */
  readonly pass: (event: StoredEvent, index: number | undefined) => number | undefined;
};

/** Throws `StoreUnavailable`. */
export const followMacRule = async (store: StreamReader, keys: EventKeys): Promise<PassingMacRule> => {
  /** What the decisions say that have not passed by: those that have are about events that have, too. */
  const ahead = new Map<bigint, number>();
  for await (const { from, event } of readMacRequired(store, keys)) ahead.set(event.revision, from);
  const asksForAny = keys.length > 0 || ahead.size > 0;
  const furthest = (): number => Math.max(0, ...ahead.values());
  const vouchesForNone = furthest() === 0;
  let from = furthest();
  return {
    isRequired: (index) => asksForAny && (index === undefined ? vouchesForNone : index >= from),
    pass: ({ stream, revision }, index) => {
      const said = stream === SEAL_STREAM ? ahead.get(revision) : undefined;
      if (said === undefined) return undefined;
      ahead.delete(revision);
      from = furthest();
      return index !== undefined && said > index ? said : undefined;
    },
  };
};

/** What is recorded, and by whom; `indexOf` as in `findMacRequired`. */
type Requiring = {
  readonly from: number;
  readonly actor: string;
  readonly at: Date;
  readonly indexOf?: IndexOfDecision;
};

/**
 * Records that of the events of the tree only those before an index may have no `mac`. True when it was recorded now, false
 * when that, or a later index, had been recorded before. Throws what the log throws.
 */
export const requireMac = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  { from, actor, at, indexOf }: Requiring,
  eventKey: EventKey,
  /** All keys of the service, by which earlier decisions are known. */
  keys: EventKeys = [eventKey],
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    runtime,
    store,
    { stream: SEAL_STREAM, event: { type: 'EventMacRequired', data: { keyId: eventKey.id, from } }, actor, at },
    async () => ({
      isRecorded: ((await findMacRequired(store, keys, indexOf))?.from ?? -1) >= from,
      end: await endOfDecisions(store, SEAL_STREAM),
    }),
    eventKey,
  );
