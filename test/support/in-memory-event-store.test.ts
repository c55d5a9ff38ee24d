import { makeInMemoryEventStore } from './in-memory-event-store.js';
import { eventStoreContract } from '../contract/event-store.contract.js';

eventStoreContract('in memory', () =>
  Promise.resolve({ store: makeInMemoryEventStore(), close: () => Promise.resolve() }),
);
