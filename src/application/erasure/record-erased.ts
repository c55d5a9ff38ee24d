import { isDeepStrictEqual } from 'node:util';
import type { either as E } from 'fp-ts';
import { erasureIn } from '../../event-sourcing/erasure/erased-events.js';
import type { EventKey } from '../../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { endOfDecisions } from '../../event-sourcing/operators/read-decisions.js';
import { recordDecision } from '../../event-sourcing/operators/record-decision.js';
import { categoryOf, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import type { RecordToErase } from './find-events.js';

const TYPES: Readonly<Record<string, string>> = { business: 'BusinessErased', document: 'DocumentErased' };

/** The event in the stream of a record that says that these events were erased. Throws `StoreUnavailable`. */
export const findRecordedErased = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, events }: RecordToErase,
): Promise<StoredEvent | undefined> => {
  // it stands behind what was erased, mostly at the end
  for await (const page of store.readStream(stream, { direction: 'backwards' }))
    for (const event of page) if (isDeepStrictEqual(erasureIn(event)?.events, events)) return event;
  return undefined;
};

type Recording = { readonly basis: string; readonly actor: string; readonly eventKey: EventKey | undefined };

/**
 * Records in the stream of a record that these events were erased. True when it was recorded now. Throws what the log throws.
 */
export const recordErased = (
  runtime: Runtime,
  store: Pick<EventStore, 'readStream' | 'append'>,
  record: RecordToErase,
  { basis, actor, eventKey }: Recording,
): Promise<E.Either<AppendRejected | StoreUnavailable, boolean>> => {
  const { stream, events } = record;
  const type = TYPES[categoryOf(stream)];
  if (type === undefined) throw new Error(`nothing of ${stream} can be erased`);
  return recordDecision(
    runtime,
    store,
    { stream, event: { type, data: { events, basis } }, schemaVersion: 1, actor, at: runtime.clock.date() },
    async () => {
      // first: what is recorded after it is in the way of this one
      const { lastAt, ...end } = await endOfDecisions(store, stream);
      return { end, lastAt, isRecorded: (await findRecordedErased(store, record)) !== undefined };
    },
    eventKey,
  );
};
