import { isDeepStrictEqual } from 'node:util';
import type { either as E } from 'fp-ts';
import { objectIn } from '../../event-sourcing/canonical-json.js';
import { Metadata } from '../../event-sourcing/envelope.js';
import { Erased } from '../../event-sourcing/erasure/erased-events.js';
import type { EventKey } from '../../event-sourcing/event-key.js';
import type { AppendRejected, EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { type ChainEnd, chainStart } from '../../event-sourcing/hash-chain.js';
import { recordDecision } from '../../event-sourcing/operators/record-decision.js';
import { UnreadableDecision } from '../../event-sourcing/operators/unreadable-decision.js';
import { categoryOf } from '../../event-sourcing/recorded-event.js';
import type { Runtime } from '../../event-sourcing/runtime.js';
import type { RecordToErase } from './find-events.js';

const TYPES: Readonly<Record<string, string>> = { business: 'BusinessErased', document: 'DocumentErased' };

type InStream = { readonly isRecorded: boolean; readonly end: ChainEnd; readonly lastAt: string };

/** Whether the stream of a record says that these events were erased, and where it ends. Throws `StoreUnavailable`. */
export const erasuresIn = async (
  store: Pick<EventStore, 'readStream'>,
  { stream, events }: RecordToErase,
): Promise<InStream> => {
  let isRecorded = false;
  let end = chainStart;
  let lastAt = '';
  for await (const page of store.readStream(stream, { direction: 'forwards' }))
    for (const event of page) {
      const metadata = objectIn(event.metadata);
      if (!Metadata.is(metadata)) throw new UnreadableDecision(event);
      end = { revision: event.revision + 1n, hash: metadata.hash };
      lastAt = metadata.at > lastAt ? metadata.at : lastAt;
      if (event.type !== TYPES[categoryOf(stream)]) continue;
      const data = objectIn(event.data);
      isRecorded ||= Erased.is(data) && isDeepStrictEqual(data.events, events);
    }
  return { isRecorded, end, lastAt };
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
    () => erasuresIn(store, record),
    eventKey,
  );
};
