import type { either as E } from 'fp-ts';
import type { EventKey } from '../event-key.js';
import { macStatusOf } from '../event-mac.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../event-store.js';
import { recordOnce } from '../record-once.js';
import type { StoredEvent } from '../recorded-event.js';
import { endOfSealStream, SEAL_STREAM, sealDecisions } from './seal-stream.js';

/** Says that every event behind it in the log must have a `mac`: no position, so that it holds in a copy of the log. */
const MAC_REQUIRED = 'EventMacRequired';

type StreamReader = Pick<EventStore, 'readStream'>;

/** The recorded decision behind which every event must have a `mac`. Throws `StoreUnavailable`. */
export const findMacRequired = async (store: StreamReader): Promise<StoredEvent | undefined> => {
  for await (const event of sealDecisions(store, MAC_REQUIRED)) return event;
  return undefined;
};

const firstEvent = async (store: Pick<EventStore, 'readAll'>): Promise<StoredEvent | undefined> => {
  for await (const { events } of store.readAll({ after: 'start' })) if (events[0] !== undefined) return events[0];
  return undefined;
};

/**
 * Tells which events of a log must have a `mac`: all of a log whose first event has one, else those behind the operators'
 * decision, else none. Throws `StoreUnavailable`.
 */
export const findMacRule = async (
  store: Pick<EventStore, 'readStream' | 'readAll'>,
): Promise<(event: StoredEvent) => boolean> => {
  const first = await firstEvent(store);
  if (first !== undefined && macStatusOf([], first) !== 'None') return () => true;
  const required = await findMacRequired(store);
  return ({ position }) => required !== undefined && position > required.position;
};

/**
 * Records that from now on every event must have a `mac`. True when it was recorded now, false when it had been recorded
 * before. Throws what the log throws.
 */
export const requireMac = (
  store: Pick<EventStore, 'readStream' | 'append'>,
  { actor, at }: { readonly actor: string; readonly at: Date },
  eventKey: EventKey,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> =>
  recordOnce(
    store,
    { stream: SEAL_STREAM, type: MAC_REQUIRED, data: { keyId: eventKey.id }, schemaVersion: 1, actor, at },
    async () => ({ isRecorded: (await findMacRequired(store)) !== undefined, end: await endOfSealStream(store) }),
    eventKey,
  );
