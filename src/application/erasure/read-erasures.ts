import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { begunErasuresFrom } from '../../event-sourcing/erasure/erasure-decisions.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { isRecordedErased } from './record-erased.js';
import type { RecordToErase } from './find-events.js';

/** An erasure that was begun. */
type Erasure = {
  readonly at: string;
  readonly actor: string;
  readonly basis: string;
  readonly records: ReadonlyArray<RecordToErase>;
  /** Those of them whose streams do not say yet that it was done. */
  readonly unfinished: ReadonlyArray<RecordToErase>;
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
    for (const record of records) if (!(await isRecordedErased(store, record))) unfinished.push(record);
    yield { at: metadata.at, actor: metadata.actor, basis, records, unfinished };
  }
}
