import { expect } from 'chai';
import { anEvent, appended, aStream } from '../../contract/event-store/store-under-test.js';
import { withStore } from './double-and-store.js';

describe('closing the connection to EventStoreDB', () => {
  it(
    'is not reported as a loss, also while something subscribes',
    withStore(async ({ store, connectionEvents, double }) => {
      await appended(store, aStream(), 'no-stream', anEvent());
      const subscription = store.subscribe({ after: 'start' }, new AbortController().signal)[Symbol.asyncIterator]();
      await subscription.next();
      const waiting = subscription.next();
      await store.close();
      await waiting.catch(() => undefined);
      const { state } = double.node;
      await state.news.until(() => state.openReads.size === 0);
      expect(connectionEvents.map(({ kind }) => kind)).to.deep.equal(['connected']);
    }),
  );
});
