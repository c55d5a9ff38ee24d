import { orThrow } from '../../../src/event-sourcing/attempt.js';
import { chainStart, type ChainEnd } from '../../../src/event-sourcing/hash-chain.js';
import type { EventStore } from '../../../src/event-sourcing/event-store.js';
import { decisionStream } from '../../../src/event-sourcing/operators/decision-events.js';
import { readDecision } from '../../../src/event-sourcing/operators/unreadable-decision.js';
import type { SkippedEvents } from '../../../src/event-sourcing/passed-over.js';
import type { ReadModel } from '../../read-model.js';

/** The recorded decisions about one projection, and the end of their stream, where the next one is appended. */
type Skips = {
  readonly events: SkippedEvents;
  readonly end: ChainEnd;
};

/** Throws `StoreUnavailable`, and `UnreadableDecision`: to fold without that decision might be wrong. */
export const readSkips = async (store: Pick<EventStore, 'readStream'>, projection: string): Promise<Skips> => {
  const [ids, streams] = [new Set<string>(), new Set<string>()];
  let end = chainStart;
  for await (const page of store.readStream(decisionStream(projection), { direction: 'forwards' }))
    for (const stored of page) {
      const { event, metadata } = orThrow(readDecision(stored));
      if (event.type === 'ProjectionEventSkipped') {
        ids.add(event.data.eventId);
        streams.add(event.data.stream);
      }
      end = { revision: stored.revision + 1n, hash: metadata.hash };
    }
  return { events: { ids, streams }, end };
};

/** The read model with the events that operators have decided to skip until now; one with a row for each event skips none. */
export const withSkips = async <Model extends ReadModel>(
  store: Pick<EventStore, 'readStream'>,
  projection: Model,
): Promise<Model> => {
  if (projection.rowFor === 'event') return projection;
  const { events } = await readSkips(store, projection.name);
  return events.ids.size === 0 ? projection : { ...projection, skipped: events };
};
