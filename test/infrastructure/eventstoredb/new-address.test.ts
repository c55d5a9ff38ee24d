import dns from 'node:dns';
import { mock } from 'node:test';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { anEvent, append, appended, aStream, batchesUntil } from '../../contract/event-store/store-under-test.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore, patient } from '../../support/eventstoredb-double/open-store.js';

/** Nobody listens there. */
const OLD_ADDRESS = '127.0.0.2';

describe('an EventStoreDB that comes back at another address', () => {
  afterEach(() => {
    mock.restoreAll();
  });

  it('is found there within seconds', async () => {
    let address = OLD_ADDRESS;
    const lookup = mock.method(dns.promises, 'lookup', () => Promise.resolve([{ address, family: 4 }]));
    const double = await startDouble();
    const { store, reported } = openStore(`esdb://log.example:${double.node.port}?tls=false`, {
      timings: { ...patient, timeout: 1_000 },
    });
    try {
      expect(E.isLeft(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      expect(lookup.mock.callCount()).to.be.greaterThan(0);
      address = '127.0.0.1';
      const leaving = new AbortController();
      const following = batchesUntil(store.subscribe({ after: 'start' }, leaving.signal), () => false);
      await reported('connected');
      await appended(store, aStream(), 'no-stream', anEvent());
      leaving.abort();
      await following;
    } finally {
      await store.close();
      double.close();
    }
    // gRPC would look up the name again after 30 s
  }).timeout(15_000);
});
