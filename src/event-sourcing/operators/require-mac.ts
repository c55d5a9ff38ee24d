import { either as E } from 'fp-ts';
import type { EventKey, EventKeys } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { countsAsDecision } from './counts-as-decision.js';
import { decisionSerde, SEAL_STREAM } from './decision-events.js';
import type { StoredEvent } from '../recorded-event.js';
import { recordDecision } from './record-decision.js';
import { endOfDecisions, readSealDecisions } from './read-decisions.js';

type StreamReader = Pick<EventStore, 'readStream'>;

/** A decision that counts, and the index in the tree from which on every event must have a `mac`. */
type MacRequired = { readonly from: number; readonly event: StoredEvent };

/**
 * The operators' decision about which events must have a `mac`: of several the one with the largest index. One counts when
 * it is in the tree and has a `mac` of one of the keys: whoever can write into the database can neither make one nor move
 * it. Without keys, its `mac` is not checked. Throws `StoreUnavailable`.
 */
export const findMacRequired = async (store: StreamReader, keys: EventKeys): Promise<MacRequired | undefined> => {
  let found: MacRequired | undefined;
  for await (const event of readSealDecisions(store, 'EventMacRequired')) {
    if (!countsAsDecision(event, keys) || macStatusOf([], event) === 'None') continue;
    const decoded = decisionSerde.decode(event);
    if (E.isLeft(decoded) || decoded.right.event.type !== 'EventMacRequired') continue;
    const { from } = decoded.right.event.data;
    if (!Number.isSafeInteger(from) || from < 0) continue;
    if (found === undefined || from > found.from) found = { from, event };
  }
  return found;
};

/**
 * Tells which events must have a `mac`: with keys all of them, but for those before the index that a decision says. One
 * whose index is not known may be before it. Without keys, those behind such a decision alone. Throws `StoreUnavailable`.
 */
export const findMacRule = async (
  store: StreamReader,
  keys: EventKeys,
): Promise<(index: number | undefined) => boolean> => {
  const from = (await findMacRequired(store, keys))?.from ?? (keys.length > 0 ? 0 : Infinity);
  return (index = from === 0 ? 0 : -1) => index >= from;
};

/**
 * Records that of the events of the tree only those before an index may have no `mac`. True when it was recorded now, false
 * when that, or a later index, had been recorded before. Throws what the log throws.
 */
export const requireMac = (
  store: Pick<EventStore, 'readStream' | 'append'>,
  { from, actor, at }: { readonly from: number; readonly actor: string; readonly at: Date },
  eventKey: EventKey,
  /** All keys of the service, by which earlier decisions are known. */
  keys: EventKeys = [eventKey],
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordDecision(
    store,
    { stream: SEAL_STREAM, event: { type: 'EventMacRequired', data: { keyId: eventKey.id, from } }, actor, at },
    async () => ({
      isRecorded: ((await findMacRequired(store, keys))?.from ?? -1) >= from,
      end: await endOfDecisions(store, SEAL_STREAM),
    }),
    eventKey,
  );
