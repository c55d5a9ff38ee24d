import { either as E } from 'fp-ts';
import { type EventStore, StoreUnavailable } from '../../src/event-sourcing/event-store.js';

/** A store that does not answer. */
export const downEventStore = (): { readonly store: EventStore; readonly failure: StoreUnavailable } => {
  const failure = new StoreUnavailable('the event store is down');
  const failing = <A>(): AsyncIterable<A> => ({
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(failure) }),
  });
  const store: EventStore = {
    append: () => Promise.resolve(E.left(failure)),
    readStream: failing,
    newestRevision: () => Promise.resolve(E.left(failure)),
    readAll: failing,
    subscribe: failing,
    head: () => Promise.resolve(E.left(failure)),
    reaches: () => Promise.resolve(E.left(failure)),
    identity: () => Promise.resolve(E.left(failure)),
  };
  return { store, failure };
};
