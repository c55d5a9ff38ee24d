import type { EventStore } from '../../src/event-sourcing/event-store.js';
import type { StoredEvent } from '../../src/event-sourcing/recorded-event.js';
import { appended } from '../contract/event-store/store-under-test.js';
import { makeInMemoryEventStore } from './in-memory-event-store.js';

/** A store whose log can be put back to what it was, under processes that go on. */
export const restorable = () => {
  let current = makeInMemoryEventStore();
  const store: EventStore = {
    append: (...args) => current.append(...args),
    readStream: (...args) => current.readStream(...args),
    newestRevision: (stream) => current.newestRevision(stream),
    readAll: (...args) => current.readAll(...args),
    subscribe: (...args) => current.subscribe(...args),
    head: (...args) => current.head(...args),
    reaches: (...args) => current.reaches(...args),
    identity: () => current.identity(),
  };
  const restore = async (events: ReadonlyArray<StoredEvent>): Promise<void> => {
    current = makeInMemoryEventStore();
    for (const event of events)
      await appended(current, event.stream, event.revision === 0n ? 'no-stream' : event.revision - 1n, event);
  };
  return { store, restore };
};
