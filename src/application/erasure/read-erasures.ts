import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { begunErasuresFrom } from '../../event-sourcing/erasure/erasure-decisions.js';
import type { StoredEvent, StreamName } from '../../event-sourcing/recorded-event.js';
import { findRecordedErased } from './record-erased.js';
import type { RecordToErase } from './find-events.js';

/** An erasure that was begun. */
type Erasure = {
  readonly at: string;
  readonly actor: string;
  readonly basis: string;
  readonly records: ReadonlyArray<RecordToErase>;
  /** Those of them whose streams do not say yet that it was done. */
  readonly unfinished: ReadonlyArray<RecordToErase>;
  /** What the streams of the others say of it. */
  readonly recorded: ReadonlyArray<StoredEvent>;
};

/** Every erasure that was begun, the oldest first. Throws `StoreUnavailable`. */
export async function* readErasures(
  store: Pick<EventStore, 'readStream'>,
  keys: EventKeys,
): AsyncGenerator<Erasure, void> {
  for await (const { event, metadata } of begunErasuresFrom(store, keys, 0n)) {
    const { basis } = event.data;
    // reason: nothing else is recorded as a stream
    const records = event.data.records.map(({ stream, events }) => ({ stream: stream as StreamName, events }));
    const unfinished: Array<RecordToErase> = [];
    const recorded: Array<StoredEvent> = [];
    for (const record of records) {
      const found = await findRecordedErased(store, record);
      if (found === undefined) unfinished.push(record);
      else recorded.push(found);
    }
    yield { at: metadata.at, actor: metadata.actor, basis, records, unfinished, recorded };
  }
}
