import dns from 'node:dns';
import { mock } from 'node:test';
import { expect } from 'chai';
import { either as E } from 'fp-ts';
import { anEvent, append, aStream } from '../../contract/event-store/store-under-test.js';
import { startDouble } from '../../support/eventstoredb-double/double.js';
import { openStore, patient } from '../../support/eventstoredb-double/open-store.js';
import { eventually } from '../../support/eventually.js';

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
    const { store } = openStore(`esdb://log.example:${double.node.port}?tls=false`, {
      timings: { ...patient, timeout: 1_000 },
    });
    try {
      expect(E.isLeft(await append(store, aStream(), 'no-stream', anEvent()))).to.equal(true);
      expect(lookup.mock.callCount()).to.be.greaterThan(0);
      address = '127.0.0.1';
      // gRPC would look up the name again after 30 s, and this gives up after 15
      const again = () => append(store, aStream(), 'no-stream', anEvent());
      expect(E.isRight(await eventually(again, E.isRight))).to.equal(true);
    } finally {
      await store.close();
      double.close();
    }
  });
});
